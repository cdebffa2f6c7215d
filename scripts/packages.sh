# Runs before every command: finds a Node that starts, and leaves the rest to `packages.mjs`. That is node_modules/.bin/node, which npm
# puts first on the PATH. If it does not start (a library was removed since), it would hide the machine's own, and no JavaScript could
# report it: it is removed here, and `packages.mjs` puts another in its place.
folder=$(dirname "$0")
node="$folder/../node_modules/.bin/node"
if "$node" --version >/dev/null 2>&1; then exec "$node" "$folder/packages.mjs"; fi
rm -f "$node"
exec "${npm_node_execpath:-node}" "$folder/packages.mjs"
