/**
 * The servers that a connection string names, and which of them accepts writes. With one there is nothing to choose. With several,
 * the writable one is searched for when a connection is needed and none is known, and all are watched, so that a promotion is followed
 * within a quarter of a second even when the former primary has stopped answering without closing its connections.
 *
 * A former primary that comes back still accepts writes until it is fenced. It is recognised by its timeline, which every promotion raises: of two
 * writable servers the one with the higher timeline is used, and a server behind a timeline seen before is not used at all.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { asUnavailable, DatabaseUnavailable, readOnly } from './unavailable.ts';

/** The address of the database: a URL, or the parts of one (a directory as `host` means its unix socket). */
export type Connection =
  | { connectionString: string }
  | { host: string; port: number; user: string; password: string; database: string };

/** `write`: the server must accept writes. `any`: the first that answers. `standby`: one in recovery. */
export type ServerRole = 'write' | 'any' | 'standby';

export type Server = { readonly connection: Connection };

export type Servers = {
  /** The server to connect to. Rejects when none can be used now. */
  find(): Promise<Server>;
  /** The server last found. */
  last(): Server;
  /** Asks a new connection whether its server can be used; rejects when not. */
  admit(client: pg.ClientBase, server: Server): Promise<void>;
  /** A connection to it failed: the search is repeated. */
  lost(server: Server): void;
  /** Called when another server, or the same one after a promotion, is used from now on. */
  onMoved(listener: (now: Server) => void): void;
  /** The server has lost something that was read from it, or has it again: the same counts as for another server. */
  changed(): void;
  /** Some connection has been admitted since the start. */
  hasServed(): boolean;
  close(): void;
};

const WATCH_EVERY_MS = 250;
/** A server that has not answered the watch by then counts as unavailable. */
const WATCH_PATIENCE_MS = 1_000;
/** The time in which the others may still answer once one writable server has. */
const OTHERS_MS = 100;
/** A search that found nothing is not repeated sooner than this. */
const PAUSE_MS = 50;

type State = { standby: boolean; readOnly: boolean; system: string; timeline: number };

export function openServers(connection: Connection, settings: object): Servers {
  const { each, role } = serversOf(connection);
  const servers = each as [Server, ...Server[]];
  const watched = servers.map((server) => openWatch(server, settings));
  const listeners: ((now: Server) => void)[] = [];
  let last: Server = servers[0];
  let chosen: Server | null = servers.length === 1 ? last : null;
  /** The newest state of a server that was used. */
  let newest: State | null = null;
  let served = false;
  let looking: Promise<Server> | null = null;
  let failed: { at: number; error: unknown } | null = null;
  let timer: NodeJS.Timeout | undefined;

  return {
    async find() {
      if (servers.length > 1) timer ??= setInterval(() => void look().catch(() => {}), WATCH_EVERY_MS).unref();
      if (chosen !== null) return chosen;
      if (failed !== null && performance.now() - failed.at < PAUSE_MS) throw failed.error;
      return look();
    },
    last: () => last,
    async admit(client, server) {
      const state = await stateOf(client);
      const objection = objectionTo(state);
      if (objection !== null) throw readOnly(objection);
      use(server, state);
    },
    lost(server) {
      if (servers.length > 1 && chosen === server) chosen = null;
    },
    onMoved: (listener) => void listeners.push(listener),
    changed() {
      for (const listener of listeners) listener(last);
    },
    hasServed: () => served,
    close() {
      clearInterval(timer);
      for (const watch of watched) watch.close();
    },
  };

  /** The reason why a server in this state is not used; null: it is. */
  function objectionTo(state: State): string | null {
    if (role === 'any') return null;
    if (role === 'standby') return state.standby ? null : 'The server is not a replica.';
    if (state.standby || state.readOnly) return 'The server is read-only.';
    return isBehind(state) ? 'The server is a former primary: another one was promoted after it.' : null;
  }

  function isBehind({ system, timeline }: State): boolean {
    return newest !== null && newest.system === system && timeline < newest.timeline;
  }

  function use(server: Server, state: State): void {
    const promoted = newest !== null && isAfter(state, newest);
    const moved = (served && server !== last) || promoted;
    newest = state;
    served = true;
    chosen = server;
    last = server;
    if (moved) for (const listener of listeners) listener(server);
  }

  /** Asks all servers and takes the best. One search at a time. */
  function look(): Promise<Server> {
    looking ??= search().finally(() => {
      looking = null;
    });
    return looking;
  }

  /**
   * The search waits for a server that has not answered yet, but asks the others again meanwhile: one of them may be promoted because that
   * server has stopped answering.
   */
  async function search(): Promise<Server> {
    const end = performance.now() + WATCH_PATIENCE_MS;
    let { found, errors, complete } = await askAll();
    while (found.length === 0 && !complete && performance.now() < end) ({ found, errors, complete } = await askAll());
    const highest = Math.max(...found.map(({ state }) => state.timeline));
    // In the order of the URL, not of the answers: processes that find the same servers use the same one.
    const best = found
      .filter(({ state }) => state.timeline === highest)
      .sort((one, other) => servers.indexOf(one.server) - servers.indexOf(other.server));
    const taken = best.find(({ server }) => server === chosen) ?? best[0];
    if (taken === undefined) {
      // A refused password is reported only when no server is merely unavailable.
      const known = errors.map((error) => asUnavailable(error, served));
      if (!complete) known.push(new DatabaseUnavailable('A server does not answer.'));
      const error = known.find((one) => one instanceof DatabaseUnavailable) ?? known[0];
      failed = { at: performance.now(), error };
      throw error;
    }
    failed = null;
    // Only now: a search may begin before a promotion and end after another one has seen it.
    if (objectionTo(taken.state) === null) use(taken.server, taken.state);
    return chosen ?? taken.server;
  }

  /** The answers of the servers within the time between two checks, and whether all have answered. */
  async function askAll() {
    const found: { server: Server; state: State }[] = [];
    const errors: unknown[] = [];
    const enough = Promise.withResolvers<void>();
    const asked = watched.map(async (watch, i) => {
      try {
        const state = await watch.ask();
        const objection = objectionTo(state);
        if (objection !== null) throw readOnly(objection);
        found.push({ server: servers[i] as Server, state });
        enough.resolve();
      } catch (error) {
        errors.push(error);
      }
    });
    const all = Promise.all(asked);
    await Promise.race([all, enough.promise, delay(WATCH_EVERY_MS, undefined, { ref: false })]);
    if (found.length > 0) {
      // One that is merely slow is not left for another one of the same timeline (two ways to one server, say).
      const better = found.some(({ state }) => newest === null || isAfter(state, newest));
      const patience = chosen === null || better ? OTHERS_MS : WATCH_PATIENCE_MS;
      await Promise.race([all, delay(patience, undefined, { ref: false })]);
    }
    return { found, errors, complete: found.length + errors.length === servers.length };
  }
}

function isAfter(state: State, newest: State): boolean {
  return newest.system !== state.system || newest.timeline < state.timeline;
}

/** A connection of its own to a server, kept as long as it lasts: asking through it costs the server almost nothing. */
function openWatch(server: Server, settings: object) {
  let client: pg.Client | null = null;
  let asking: Promise<State> | null = null;
  let closed = false;

  async function ask(): Promise<State> {
    if (closed) throw new DatabaseUnavailable('The pool is closed.');
    const mine = client ?? new pg.Client({ ...settings, ...server.connection, query_timeout: WATCH_PATIENCE_MS });
    try {
      if (client === null) {
        client = mine;
        // A connection that breaks fails its next query; without a listener it would end the process.
        mine.on('error', () => {});
        await mine.connect();
        unref(mine);
      }
      return await stateOf(mine);
    } catch (error) {
      if (client === mine) client = null;
      end(mine);
      throw error;
    }
  }

  return {
    /** One query at a time: a silent server may not have answered the last one yet. */
    ask(): Promise<State> {
      asking ??= ask().finally(() => {
        asking = null;
      });
      return asking;
    },
    close() {
      closed = true;
      if (client !== null) end(client);
      client = null;
    },
  };
}

/** Ends a connection at once, whatever it is doing. */
export function end(client: pg.ClientBase): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

/** A watching connection does not keep the process running. */
function unref(client: pg.Client): void {
  (client as unknown as { unref(): void }).unref();
}

const STATE = `SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') = 'on' AS "readOnly",
  (SELECT system_identifier::text FROM pg_control_system()) AS system,
  CASE WHEN pg_is_in_recovery() THEN 0 ELSE ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int END AS timeline`;
const BARE_STATE = `SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') = 'on' AS "readOnly",
  '' AS system, 0 AS timeline`;

export async function stateOf(client: pg.ClientBase): Promise<State> {
  const ask = async (text: string) => (await client.query<State>(text)).rows[0] as State;
  try {
    return await ask(STATE);
  } catch (error) {
    if (asUnavailable(error, true) instanceof DatabaseUnavailable) throw error;
    // Some hosted servers withhold these functions. Then a former primary cannot be distinguished from the current one.
    return ask(BARE_STATE);
  }
}

/**
 * The servers of a connection string with several hosts, as libpq reads it: `postgres://user:password@a:5432,b:5433/name`, or lists in
 * the parameters `host` and `port`. `target_session_attrs` says which of them is wanted; the driver knows none of this.
 */
export function serversOf(connection: Connection): { each: Server[]; role: ServerRole } {
  if (!('connectionString' in connection)) return { each: [{ connection }], role: 'write' };
  const text = connection.connectionString;
  const parts = /^(\w+:\/\/)(?:([^/?#]*)@)?([^/?#@]*)([^?#]*)(?:\?([^#]*))?/.exec(text);
  if (parts === null) return { each: [{ connection }], role: 'write' };
  const [, scheme = '', user, authority = '', path = '', query = ''] = parts;
  const given = new URLSearchParams(query);
  const wanted = given.get('target_session_attrs') ?? 'read-write';
  const role: ServerRole = wanted === 'any' ? 'any' : /standby|read-only/.test(wanted) ? 'standby' : 'write';
  const hosts = (given.get('host') ?? authority).split(',');
  const ports = given.get('port')?.split(',') ?? [];
  if (hosts.length === 1 && ports.length <= 1 && !given.has('target_session_attrs'))
    return { each: [{ connection }], role };
  const rest = query
    .split('&')
    .filter((one) => one !== '' && !/^(host|port|target_session_attrs)=/.test(one))
    .join('&');
  const each = hosts.map((host, i) => {
    const port = ports.length === 1 ? ports[0] : ports[i];
    const at = host.startsWith('/') ? '' : host;
    const more = [host.startsWith('/') ? `host=${encodeURIComponent(host)}` : '', port ? `port=${port}` : '', rest];
    const query = more.filter((one) => one !== '').join('&');
    const who = user === undefined ? '' : `${user}@`;
    return { connection: { connectionString: `${scheme}${who}${at}${path}${query === '' ? '' : `?${query}`}` } };
  });
  return { each, role };
}
