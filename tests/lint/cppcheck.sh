#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cppcheck finds nothing. Not asked: readdir (one thread), NULL as a last variadic argument (a pointer here).
set -u
cd "${srcdir:-.}" || exit
command -v cppcheck >/dev/null || {
	echo "cppcheck is not installed: ./dev deps"
	exit 1
}
exec cppcheck -q -j "$(getconf _NPROCESSORS_ONLN)" --std=c11 --library=posix,gnu --enable=warning,portability \
	--inline-suppr --suppress=missingIncludeSystem --suppress=readdirCalled --suppress=varFuncNullUB \
	--suppress=uninitvar:core/recipe/recipe.c --error-exitcode=1 -I. -D__GNUC__ -D_GNU_SOURCE --include=tests/lint/cppcheck.h \
	--template='{file}:{line}: {id}: {message}' core tui views sim main.c screen.c terminal.c
