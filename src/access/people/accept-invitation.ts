/** An invitation is used up in the transaction that stores how its person signs in from now on. */
import type { Sql } from '../../store/db/db.ts';
import type { People, Person } from './people.ts';

/** `given`: address and name, where the invitation has none. */
export type Accepting = { invitation: string; given: { email?: string; name?: string; requestId: string } };

/** Ends all earlier sessions and removes every earlier means of signing in (`accept`). Null: the invitation has expired or was used meanwhile. */
export function acceptInvitation(
  { people }: { people: People },
  { invitation, given }: Accepting,
  store: (tx: Sql, person: Person) => Promise<void>,
): Promise<Person | null> {
  return people.change(async (tx) => {
    const person = await people.accept(tx, invitation, given);
    if (person !== null) await store(tx, person);
    return person;
  });
}
