#!/bin/sh
echo "crash ends at once" >&2
exit 1
