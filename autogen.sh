#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes ./configure from configure.ac.
set -eu
cd "$(dirname "$0")"
mkdir -p m4 build-aux
exec autoreconf --install
