"""The verbs of a function: select, explain, sku and bind, which take the function's arguments."""


def with_verbs(function):
    def verb(name, about, after=lambda result: result):
        def method(*arguments, **keywords):
            return after(function(*arguments, **keywords, _verb=name))
        method.__name__, method.__doc__ = name, about
        return method

    function.select = verb("select", "The plan of this call.")
    function.sku = verb("select", "The kernel of this call.", lambda plan: plan.sku)
    function.explain = verb("explain", "Every kernel that could serve this call, in the order of trial, with Status.OK or why not.")
    function.bind = verb("bind", "This call with its buffers checked and fixed; calling the result launches it.")
    return function
