# Runs before every command: checks that the packaged Node starts at all, and leaves the rest to `packages.mjs`. npm puts that Node
# first on the PATH. When a library that it needs was removed after the installation, no JavaScript could report it.
folder=$(dirname "$0")
node="$folder/../node_modules/.bin/node"
if [ -e "$node" ] && ! said=$("$node" --version 2>&1); then
  case $said in
    *libatomic.so*)
      echo 'Node 26 needs the library libatomic. Install it (`apt-get install libatomic1`, `dnf install libatomic`) and run this again.' >&2
      ;;
    *'loading shared libraries: '*)
      library=${said#*loading shared libraries: }
      echo "Node 26 needs the library ${library%%:*}. Install it and run this again." >&2
      ;;
    *)
      echo "The packaged Node does not run ($(echo "$said" | head -n 1)). Remove node_modules and run this again." >&2
      ;;
  esac
  exit 1
fi
exec node "$folder/packages.mjs"
