/** Author of an action: the user, a colleague by name, or a program. */
import { useQuery } from '@tanstack/react-query';
import { daybook } from '../api.ts';
import { useSession } from '../shell/session.tsx';
import { type Party, partyName } from './party.ts';

/** Null: nobody. `inText`: within a sentence. */
export function Who({ party, inText = false }: { party: Party | null; inText?: boolean }) {
  const { userId: own } = useSession();
  const { userId, clientId } = party ?? NOBODY;
  const { data: name = null } = useQuery({
    queryKey: ['name', userId],
    queryFn: () => nameOf(userId ?? ''),
    enabled: userId !== null && userId !== own,
    staleTime: 10 * 60_000,
  });
  const text = partyName(party ?? NOBODY, own, name);
  const isWord = inText && text !== name;
  return (
    <span title={userId ?? clientId ?? undefined}>{isWord ? text.charAt(0).toLowerCase() + text.slice(1) : text}</span>
  );
}

const NOBODY: Party = { userId: null, clientId: null };

const GATHERED_MS = 10;
const AT_ONCE = 100;
type Batch = { ids: Set<string>; names: Promise<ReadonlyMap<string, string>> };
let gathered: Batch | null = null;

/** Names requested at the same moment are read together. Null: a person of another organization. */
async function nameOf(userId: string): Promise<string | null> {
  gathered ??= begin();
  const { ids, names } = gathered;
  ids.add(userId);
  if (ids.size === AT_ONCE) gathered = null;
  return (await names).get(userId) ?? null;
}

function begin(): Batch {
  const ids = new Set<string>();
  const names = new Promise((resolve) => setTimeout(resolve, GATHERED_MS)).then(async () => {
    if (gathered?.ids === ids) gathered = null;
    const { data } = await daybook.listNames({ query: { ids: [...ids].join(',') } });
    return new Map(data.items.map(({ userId, name }) => [userId, name]));
  });
  return { ids, names };
}
