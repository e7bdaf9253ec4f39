/* SPDX-License-Identifier: Apache-2.0 */
/* What cppcheck, which reads no system headers, must know of jansson. Never compiled into anything.
 */
#ifndef RLPILOT_LINT_CPPCHECK_H
#define RLPILOT_LINT_CPPCHECK_H

#define json_array_foreach(array, i, value)                                                        \
	for (i = 0; i < json_array_size(array) && (value = json_array_get(array, i)); i++)
#define json_object_foreach(object, key, value)                                                    \
	for (key = json_object_iter_key(json_object_iter(object));                                 \
		key && (value = json_object_get(object, key));                                     \
		key = json_object_next(object, key))

#endif
