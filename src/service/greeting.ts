/** The text that a started service prints: its addresses, its first credentials, and how people get into the console. */
import { isAbsolute, relative } from 'node:path';
import type { Access } from '../access/access.ts';
import type { Config } from '../config.ts';
import { credentialsFile, keptClientId } from '../key-files/credentials.ts';
import { allGiven, type FirstClient } from './first-client.ts';

type Line = readonly [label: string, text: string];

export type Greeting = {
  readonly config: Config;
  /** The origin at which the service listens. */
  readonly address: string;
  readonly first: FirstClient;
  /** Secrets are shown only on a terminal; elsewhere they stay in their file. */
  readonly onTerminal: boolean;
  /** The folder in which the operator has started the service. */
  readonly folder: string;
  /** Whether the pages are built. */
  readonly pages: boolean;
  /** The settings by which a command finds this service, as the operator has given them. */
  readonly given: { readonly DATA_DIR?: string | undefined; readonly PORT?: string | undefined };
  /** The organization with demo data, and the roles of its first person; `id` null: there is none. */
  readonly demo: { readonly id: string | null; readonly roles: readonly string[] };
  readonly access: Pick<Access, 'hasActivePeople' | 'createFirstUser'>;
  invitationUrl(origin: string, token: string): string;
};

export async function greetingText(greeting: Greeting): Promise<string> {
  const { config, address } = greeting;
  const origin = originFor(greeting);
  const lines: Line[] = [
    ['Daybook is ready at', `${address}/v2/${config.area}`],
    ...pageLines(greeting, origin),
    ['Playground', `${address}/docs`],
    ...credentialLines(greeting),
    ...(await waysIn(greeting)),
  ];
  return `\n${lines.map(([label, text]) => `  ${label.padEnd(22)}${text}`.trimEnd()).join('\n')}\n`;
}

function pageLines({ config, pages }: Greeting, origin: string): Line[] {
  if (!pages) return [['Pages', 'not built: run `npm run pages` in this folder (no restart is needed)']];
  return [
    ['Console', `${origin}/console`],
    ...(config.market ? [['Published loans', `${origin}/market`] as const] : []),
  ];
}

function credentialLines({ config, first, onTerminal, folder }: Greeting): Line[] {
  const file = credentialsFile(config);
  const near = relative(folder, file);
  const shown = near.startsWith('..') || isAbsolute(near) ? file : near;
  if (first.created && !allGiven(config)) {
    if (!onTerminal) return [['Credentials', shown]];
    return [
      ['Client id', first.clientId],
      ['Client secret', first.clientSecret],
      ['API key', first.apiKey],
      ['', `(shown only once; stored in ${shown})`],
    ];
  }
  const { clientId } = config.bootstrap;
  const ignored = clientId !== null && clientId !== first.clientId;
  const note = ignored ? ' (created earlier; BOOTSTRAP_* only applies to the first start)' : '';
  return [
    ['First client', first.clientId + note],
    ...(keptClientId(config) === first.clientId ? [['Credentials', shown] as const] : []),
  ];
}

/**
 * Consoles that nobody has entered yet: at the first start on a terminal by a link, otherwise by a command that makes one. The demo's comes
 * first: it has something to look at.
 */
async function waysIn(greeting: Greeting): Promise<Line[]> {
  const { access, first, onTerminal, demo } = greeting;
  const lines: Line[] = [];
  const consoles = [
    ['Console with demo data', demo.id, demo.roles, ` --organization ${demo.id}`],
    ['Console of your organization', first.ownerId, ['administrator'], ''],
  ] as const;
  for (const [label, organizationId, roles, option] of consoles) {
    if (organizationId === null || (await access.hasActivePeople(organizationId))) continue;
    const invitation = first.created && onTerminal ? await access.createFirstUser(organizationId, roles) : null;
    const command = `${sameSettings(greeting)}npm run users -- invite --email <address> --name "<name>" --roles ${roles.join()}${option}`;
    const link = invitation && greeting.invitationUrl(originFor(greeting), invitation.token);
    lines.push([label, ''], ['', link ?? command]);
    if (link !== null) lines.push(['', '(open it to choose how you sign in; it works once, within 72 hours)']);
  }
  return lines;
}

/** The settings with which a command reaches this service: its data, and the port of the links that it makes. */
function sameSettings({ given: { DATA_DIR, PORT }, address }: Greeting): string {
  const needed = { DATA_DIR, ...(PORT !== undefined && { PORT: new URL(address).port }) };
  return Object.entries(needed)
    .map(([name, value]) => (value === undefined ? '' : `${name}=${/^[\w./-]+$/.test(value) ? value : `'${value}'`} `))
    .join('');
}

/** For people; this machine by its name, because browsers keep passkeys for names and not for addresses. */
function originFor({ config, address }: Greeting): string {
  return config.publicUrl ?? address.replace('//127.0.0.1:', '//localhost:');
}
