/* Written by tools/generate.py from control.h. Do not edit. */
#ifndef ADJOINT_OPS_CONTROL_INIT_H
#define ADJOINT_OPS_CONTROL_INIT_H

#include "control.h"

#ifndef __cplusplus
#define ADJ_GROUP_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_group_descriptor, ADJ_TAG_GROUP_DESCRIPTOR), 0, NULL, 0, 0 }
#define ADJ_GROUP_ARGS_INIT \
  { ADJ_HEADER_OF(adj_group_args, ADJ_TAG_GROUP_ARGS), {0}, {0} }
#define ADJ_RECORD_EVENT_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_record_event_descriptor, ADJ_TAG_RECORD_EVENT_DESCRIPTOR), 0, NULL, 0, 0 }
#define ADJ_RECORD_EVENT_ARGS_INIT \
  { ADJ_HEADER_OF(adj_record_event_args, ADJ_TAG_RECORD_EVENT_ARGS), NULL, {0}, {0} }
#define ADJ_WAIT_EVENT_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_wait_event_descriptor, ADJ_TAG_WAIT_EVENT_DESCRIPTOR), 0, NULL, 0, 0 }
#define ADJ_WAIT_EVENT_ARGS_INIT \
  { ADJ_HEADER_OF(adj_wait_event_args, ADJ_TAG_WAIT_EVENT_ARGS), NULL, {0}, {0} }
#define ADJ_YIELD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_yield_descriptor, ADJ_TAG_YIELD_DESCRIPTOR), 0, NULL, 0, NULL, 0, NULL, 0, 0 }
#define ADJ_YIELD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_yield_args, ADJ_TAG_YIELD_ARGS), {0}, {0} }
#define ADJ_USER_KERNEL_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_user_kernel_descriptor, ADJ_TAG_USER_KERNEL_DESCRIPTOR), -1, NULL, NULL, NULL, 0, NULL, 0, NULL, \
    0, NULL, 0, NULL, {0}, {0}, 0, NULL, NULL, ADJ_CODE_SOURCE, 0, 0, 0 }
#define ADJ_USER_KERNEL_ARGS_INIT \
  { ADJ_HEADER_OF(adj_user_kernel_args, ADJ_TAG_USER_KERNEL_ARGS), {0}, {0} }
#define ADJ_CALLBACK_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_callback_descriptor, ADJ_TAG_CALLBACK_DESCRIPTOR), NULL, NULL, NULL, 0, NULL, 0, NULL, 0, 0 }
#define ADJ_CALLBACK_ARGS_INIT \
  { ADJ_HEADER_OF(adj_callback_args, ADJ_TAG_CALLBACK_ARGS), {0}, {0}, {0} }
#endif

ADJ_CPP_NAMES(Group, group)
ADJ_CPP_NAMES(RecordEvent, record_event)
ADJ_CPP_NAMES(WaitEvent, wait_event)
ADJ_CPP_NAMES(Yield, yield)
ADJ_CPP_NAMES(UserKernel, user_kernel)
ADJ_CPP_NAMES(Callback, callback)

#endif
