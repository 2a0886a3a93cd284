namespace adj::host {}
