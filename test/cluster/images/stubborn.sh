#!/bin/sh
# Leaves only when it is killed.
trap '' TERM QUIT INT
echo "stubborn runs"
exec sleep infinity
