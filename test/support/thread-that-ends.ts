/** A module that no thread survives. */
process.exit(3);
