/** The chains of blocks, one a volume, and the roots over all of them: checked link by link, each block against its transactions. */
import { blockHash, GENESIS_HASH, merkleRoot, rootHash, rootOf, type VolumeHead } from '../../ledger/chain.ts';
import { readLinks } from '../../store/audit/chain.ts';
import type { Sql } from '../../store/db/db.ts';
import { type RootRow, readBlocks, readRoots } from '../../store/ledger/ledger.ts';
import { readBodyHashes, readSealedBlocks, type SealedBlock, type VolumeBounds } from '../../store/verify/verify.ts';

type Compared = { readonly expected: unknown; readonly found: unknown };
export type TellOf = (table: string, block: number | null, what: string, compared?: Compared) => void;

const BLOCKS_AT_ONCE = 500;
const ROOTS_AT_ONCE = 500;

/** Checks one volume. Returns the number of its blocks, and the last of them. */
export async function checkVolume(
  db: Sql,
  { volume, head, sealed, newest }: VolumeBounds,
  tell: TellOf,
  progress: (blocks: number) => void,
): Promise<{ blocks: number; last: { number: number; hash: string } | null }> {
  const step = db.volumes.count;
  if (head === null) tell('ledger_heads', null, `the row of volume ${volume} is missing`);
  else if (head < sealed) {
    tell('ledger_heads', null, `volume ${volume} is before its last sealed block`, { expected: sealed, found: head });
  } else if (head % step !== volume) {
    tell('ledger_heads', null, `volume ${volume} has a block number of another volume`, {
      expected: volume,
      found: head,
    });
  } else if (head > newest) {
    const compared = { expected: newest, found: head };
    tell('ledger_heads', null, `volume ${volume} is beyond the block of its last transaction`, compared);
  }
  let blocks = 0;
  /** Rows before the first block are no blocks, and are named once. */
  let before = Number.MIN_SAFE_INTEGER;
  /** The hash as stored and as the header gives it: where they differ there is a complaint, and the next block may name either. */
  let last: { number: number; hash: string; computed: string } | null = null;
  for (;;) {
    const range: { volume: number; after: number; through: number } = {
      volume,
      after: last?.number ?? before,
      through: sealed,
    };
    const page: SealedBlock[] = await readSealedBlocks(db, range, BLOCKS_AT_ONCE);
    if (page.length === 0) break;
    for (const stored of page) {
      const header = headerOf(stored);
      const { number } = header;
      const next: number = (last?.number ?? volume) + step;
      if (number < volume + step) {
        tell('blocks', number, 'is before the first', { expected: volume + step, found: number });
        before = number;
        continue;
      }
      if (number % step !== volume)
        tell('blocks', number, 'belongs to another volume', { expected: volume, found: number });
      else if (number > next) {
        const missing = number === next + step ? 'is missing' : `and those up to ${number - step} are missing`;
        tell('blocks', next, missing);
      }
      const previous: { hash: string; computed: string } | null =
        number === volume + step ? { hash: GENESIS_HASH, computed: GENESIS_HASH } : number === next ? last : null;
      const computed = await checkBlock(db, stored, header, previous, (what, compared) =>
        tell('blocks', number, what, compared),
      );
      last = { number, hash: header.hash, computed };
      blocks += 1;
    }
    progress(page.length);
  }
  return { blocks, last: last === null ? null : { number: last.number, hash: last.hash } };
}

function headerOf({ number, previous_hash, root, count, sealed_at, hash }: SealedBlock) {
  return {
    number: Number(number),
    previousHash: `0x${previous_hash}`,
    root: `0x${root}`,
    count,
    // Blocks are sealed to the millisecond; a finer time cannot come from sealing.
    sealedAt: `${sealed_at.replace(/000$/, '')}Z`,
    hash: `0x${hash}`,
  };
}

/** Answers the hash that the header gives. */
async function checkBlock(
  db: Sql,
  { hashes, positions }: SealedBlock,
  header: ReturnType<typeof headerOf>,
  previous: { hash: string; computed: string } | null,
  tell: (what: string, compared?: { expected: unknown; found: unknown }) => void,
): Promise<string> {
  const { number, hash, ...columns } = header;
  const all = hashes?.match(/.{64}/g)?.map((one) => `0x${one}`) ?? [];
  const computed = blockHash(header);
  const right = { ...columns };
  if (previous !== null && header.previousHash !== previous.hash && header.previousHash !== previous.computed) {
    right.previousHash = previous.hash;
    tell('previous_hash does not match the previous block', { expected: previous.hash, found: header.previousHash });
  }
  if (all.length !== header.count) {
    right.count = all.length;
    right.root = merkleRoot(all);
    // If the number of transactions differs, the root differs too: report one complaint; the hash of the block shows which.
    const changed = blockHash({ number, ...right }) === hash;
    if (changed) tell('count was changed', { expected: all.length, found: header.count });
    else
      tell('the number of transactions does not match the sealed header', {
        expected: header.count,
        found: all.length,
      });
  } else if (positions !== all.length) tell('two of its transactions have the same position');
  else if (merkleRoot(all) !== header.root) {
    // A change of only a hash beside a body is told of its loan; the block is as it was sealed.
    const bodies = merkleRoot(await readBodyHashes(db, number % db.volumes.count, number));
    if (bodies !== header.root) {
      right.root = merkleRoot(all);
      tell('root does not match its transactions', { expected: right.root, found: header.root });
    }
  }
  if (computed !== hash && blockHash({ number, ...right }) !== hash) {
    tell('hash does not match its header', { expected: computed, found: hash });
  }
  return computed;
}

/** Every root follows from the one before it and from the blocks it names, which must still be there. Returns the last. */
export async function checkRoots(db: Sql, tell: TellOf): Promise<RootRow | null> {
  let newest: RootRow | null = null;
  let after: RootRow | null = null;
  for (;;) {
    const page: RootRow[] = await readRoots(db, after?.number ?? null, ROOTS_AT_ONCE);
    const parsed = page.map((row) => ({ row, heads: headsIn(row.heads), audit: headsIn(row.auditHeads) }));
    const hashes = await readNamedHashes(
      db,
      parsed.flatMap(({ heads }) => heads ?? []),
    );
    const links = await readNamedLinks(
      db,
      parsed.flatMap(({ audit }) => audit ?? []),
    );
    for (const { row, heads, audit } of parsed) {
      newest ??= row;
      const complain = (what: string, compared?: Compared) =>
        tell('ledger_roots', null, `root ${row.number}: ${what}`, compared);
      if (after !== null) {
        if (after.number !== row.number + 1) complain('the next one is missing');
        else if (after.previousHash !== row.hash) {
          complain('the next one names another hash', { expected: after.previousHash, found: row.hash });
        }
      }
      const { count: volumes } = db.volumes;
      if (heads === null) complain('its heads are not a list of blocks');
      else {
        const root = rootOf(heads, volumes);
        if (root !== row.root) complain('root does not match its heads', { expected: root, found: row.root });
        checkNamed('block', heads, ({ number }) => hashes.get(number), complain);
      }
      if (audit === null) complain('its audit heads are not a list of links');
      else {
        const root = rootOf(audit, volumes);
        if (root !== row.audit) complain('audit does not match its heads', { expected: root, found: row.audit });
        checkNamed('audit link', audit, ({ volume, number }) => links.get(`${volume} ${number}`), complain);
      }
      const hash = rootHash(row);
      if (hash !== row.hash) complain('hash does not match its header', { expected: hash, found: row.hash });
      after = row;
    }
    if (page.length < ROOTS_AT_ONCE) break;
  }
  if (after !== null && (after.number !== 1 || after.previousHash !== GENESIS_HASH)) {
    tell('ledger_roots', null, 'the first roots are missing');
  }
  return newest;
}

/** The hashes of the blocks that roots name, by their numbers: one query a volume for a whole page of roots. */
async function readNamedHashes(db: Sql, heads: readonly VolumeHead[]): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  for (const [volume, some] of Map.groupBy(heads, (head) => head.volume)) {
    const numbers = [...new Set(some.map(({ number }) => number))];
    for (const { number, hash } of (await readBlocks(db, volume, numbers)).values()) found.set(number, hash);
  }
  return found;
}

/** The same of the links of the audit trail, by volume and number. */
async function readNamedLinks(db: Sql, heads: readonly VolumeHead[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const [volume, some] of Map.groupBy(heads, (head) => head.volume)) {
    const numbers = [...new Set(some.map(({ number }) => number))];
    for (const { number, hash } of await readLinks(db, volume, numbers)) found.set(`${volume} ${number}`, hash);
  }
  return found;
}

/** Null: they are no list of heads. */
function headsIn(text: string): readonly VolumeHead[] | null {
  try {
    const parsed: unknown = JSON.parse(text);
    const isHead = (head: Partial<VolumeHead> | null) =>
      Number.isSafeInteger(head?.number) &&
      Number.isInteger(head?.volume) &&
      Math.abs(head?.volume ?? 0) < 32_768 &&
      /^0x[0-9a-f]{64}$/.test(String(head?.hash));
    return Array.isArray(parsed) && parsed.every(isHead) ? parsed : null;
  } catch {
    return null;
  }
}

function checkNamed(
  kind: string,
  heads: readonly VolumeHead[],
  storedOf: (head: VolumeHead) => string | undefined,
  complain: (what: string, compared?: Compared) => void,
): void {
  for (const head of heads) {
    const { number, hash: named } = head;
    const stored = storedOf(head);
    if (stored === undefined) complain(`names ${kind} ${number}, which is missing`);
    else if (stored !== named) complain(`names another ${kind} ${number}`, { expected: named, found: stored });
  }
}
