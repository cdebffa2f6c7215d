/** The text of `docs/reference.md`: the operations on a loan from openapi.json, and its events from their definitions. */
import { OPERATION_NAMES } from '../src/core/decide/decide.ts';
import { DEFINITIONS, KINDS } from '../src/core/event.ts';

type Body = { readonly required?: readonly string[]; readonly properties: Readonly<Record<string, object>> };
type Described = {
  readonly summary: string;
  readonly security: readonly { readonly oauth2?: readonly string[] }[];
  readonly requestBody: { readonly content: { readonly 'application/json': { readonly schema: { $ref: string } } } };
};
export type Contract = {
  readonly paths: Readonly<Record<string, { readonly post?: Described }>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
};

export const referencePage = (contract: Contract): string => `# Operations and events of a loan

Written by \`npm run reference\` from openapi.json and the definitions of the events; do not edit it by hand.

## Operations

Each takes \`loanId\` and the members listed; those in parentheses may be left out. Their shapes are in [openapi.json](../openapi.json). Some calls take [a further scope](api.md#further-scopes).

${table(['Operation', 'Does', 'Scope', 'Members'], OPERATION_NAMES.map(operationRow(contract)))}

## Events

An event has its name in \`/timeline\` and its type in [the feed](events.md). The last two columns say who may [undo](servicing.md#undo) it and which later events rest on it, or why it cannot be undone.

${table(['Event', 'Type in the feed', 'What happened', 'Undo', 'Rests on it'], Object.keys(KINDS).map(eventRow))}
`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const code = (text: string) => `\`${text}\``;

function operationRow({ paths, components }: Contract): (name: string) => string[] {
  return (name) => {
    const described = paths[`/v2/chain/${name}`]?.post;
    if (described === undefined) throw new Error(`openapi.json has no ${name}; run \`npm run openapi\` first.`);
    const scopes = [...new Set(described.security.flatMap(({ oauth2 = [] }) => oauth2))];
    const schema = described.requestBody.content['application/json'].schema.$ref.split('/').at(-1) ?? '';
    const { properties, required = [] } = components.schemas[schema] as Body;
    const members = Object.keys(properties)
      .filter((member) => member !== 'loanId')
      .map((member) => (required.includes(member) ? code(member) : `(${code(member)})`));
    return [code(`POST /${name}`), described.summary, scopes.map(code).join(' or '), members.join(', ')];
  };
}

function eventRow(type: string): string[] {
  const { feed, undo } = DEFINITIONS[type as keyof typeof DEFINITIONS];
  const named = [code(type), code(feed.type), feed.about];
  if ('refused' in undo) return [...named, 'no', undo.refused];
  const rests = Object.entries(undo.restedOnBy).map(([later, same]) =>
    same === 'any' ? code(later) : `${code(later)} of the same ${code(same)}`,
  );
  const by = undo.scope === undefined ? undo.by : `${undo.by}, with ${code(undo.scope)}`;
  return [...named, by, rests.join(', ') || 'none'];
}
