/** Parts of a loan's record on their own: the deals that were offered, and the stored reports of the credit bureau. */
import type { AssessedWith, LoanFile } from '../../boarding/file.ts';
import { readSealedParts } from '../../store/reads/reads.ts';
import { disclose } from '../../vault/disclose.ts';
import { dataKeyOf, type MasterKeys } from '../../vault/master-keys.ts';
import type { Workers } from '../../workers/workers.ts';
import type { Actor } from '../door/actor.ts';
import type { FairReads } from '../door/fair-reads.ts';
import type { Known } from '../door/loan-cache.ts';
import { maySeePersonal } from '../door/permissions.ts';
import { shareOf } from '../door/too-many-waiting.ts';
import type { DisclosureBook } from '../people/disclosures.ts';
import type { DealRow } from './deal-rows.ts';
import type * as Work from './deal-work.ts';

/** The public record, as far as deals are in it. */
type PublicRecord = {
  readonly view: { readonly version: number; readonly file: Pick<LoanFile, 'assessedWith' | 'earlierRuns'> };
  readonly details: { readonly pricing?: string };
  readonly publicPart: Buffer;
};

export type DealsOptions = {
  reads: FairReads;
  clock: () => number;
  masterKeys: MasterKeys;
  book: DisclosureBook;
  workers: Workers;
  visible(actor: Actor, loanId: string): Promise<Known | null>;
  readPublic(actor: Actor, loanId: string, how: typeof NOW): Promise<PublicRecord | 'before' | null>;
};

const WORK_MS = 5_000;
const NOW = { asOf: null, knownAt: null };

export function openDeals({ reads, clock, masterKeys, book, workers, visible, readPublic }: DealsOptions) {
  const work = workers.module<typeof Work>(new URL('./deal-work.ts', import.meta.url), { limitMs: WORK_MS });
  return { deals, report };

  /** `runs`: the last one first. With reasons for whoever may see what is personal, which is then a disclosure; without them for everybody else. */
  async function deals(
    actor: Actor,
    loanId: string,
  ): Promise<{ version: number; items: DealRow[]; disclosed: boolean; runs: AssessedWith[] } | null> {
    const known = await visible(actor, loanId);
    if (known === null) return null;
    const shown = await readPublic(actor, loanId, NOW);
    if (shown === null || shown === 'before') return null;
    const { pricing = '' } = shown.details;
    const { assessedWith: last, earlierRuns = [] } = shown.view.file;
    const runs = last === null ? [] : [last, ...earlierRuns];
    if (maySeePersonal(actor)) {
      const items = await opened(actor, loanId, 'deals', (sealed) =>
        work.run('dealsOfRecord', shareOf(actor), { ...sealed, pricing }),
      );
      if (items !== null) return { version: known.version, items, disclosed: true, runs };
    }
    const items = await work.run('dealsOfPublicPart', shareOf(actor), { members: shown.publicPart, pricing });
    return { version: shown.view.version, items, disclosed: false, runs };
  }

  /** Null: no such loan; `none`: it has no such report, or the borrower was erased. */
  async function report(actor: Actor, loanId: string, n: number): Promise<Uint8Array | 'none' | null> {
    if ((await visible(actor, loanId)) === null) return null;
    const pdf = await opened(actor, loanId, 'report', (sealed) =>
      work.run('reportOfRecord', shareOf(actor), { ...sealed, n }),
    );
    return pdf ?? 'none';
  }

  /** Null when the borrower was erased. The entry is on disk before anything is answered. */
  async function opened<T>(
    actor: Actor,
    loanId: string,
    what: 'deals' | 'report',
    open: (sealed: { loanId: string; dataKey: Uint8Array; sealed: Uint8Array }) => Promise<T>,
  ): Promise<T | null> {
    const person = (await readSealedParts(reads(actor), loanId))?.person ?? null;
    if (person === null) return null;
    const dataKey = dataKeyOf(masterKeys, person, loanId);
    const disclosed = disclose(actor, { loanId, what, at: clock() }, () =>
      open({ loanId, dataKey, sealed: person.sealed }),
    );
    if ('denied' in disclosed) throw new Error('A personal read came through without its scope or key.');
    const data = await disclosed.data;
    await book.enter(actor, [{ entry: disclosed.entry, dataKey }]);
    return data;
  }
}
