/** Asks PostgreSQL for the columns that the rows of a statement will have, without running it. */
import pg from 'pg';
import type { Connection } from '../../src/store/db/db.ts';

export type Column = {
  name: string;
  /** As PostgreSQL prints it. */
  type: string;
  /** The table that it is a column of, and whether it is NOT NULL there; null: it is an expression. */
  table: string | null;
  notNull: boolean | null;
};

export type Describer = {
  /** Rejects if PostgreSQL does not take the statement. */
  columnsOf(text: string): Promise<Column[]>;
  close(): Promise<void>;
};

type Field = { name: string; tableID: number; columnID: number; dataTypeID: number };

export async function openDescriber(connection: Connection): Promise<Describer> {
  const client = new pg.Client(connection);
  await client.connect();
  const catalog = async (text: string) =>
    new Map<string, string>((await client.query({ text, rowMode: 'array' })).rows as [string, string][]);
  const types = await catalog('SELECT oid::text, format_type(oid, NULL) FROM pg_type');
  const tables = await catalog('SELECT oid::text, relname FROM pg_class');
  const notNull = await catalog(
    "SELECT attrelid || '.' || attnum, attnotnull::text FROM pg_attribute WHERE attnum > 0",
  );
  return {
    async columnsOf(text) {
      const fields = await fieldsOf(client, text);
      return fields.map(({ name, tableID, columnID, dataTypeID }) => ({
        name,
        type: types.get(String(dataTypeID)) ?? String(dataTypeID),
        table: tables.get(String(tableID)) ?? null,
        notNull: tableID === 0 ? null : notNull.get(`${tableID}.${columnID}`) === 'true',
      }));
    },
    close: () => client.end(),
  };
}

/** The driver describes only what it also runs, so the messages are sent here. */
function fieldsOf(client: pg.Client, text: string): Promise<Field[]> {
  return new Promise((resolve, reject) => {
    let fields: Field[] = [];
    client.query({
      submit(connection: pg.Connection) {
        connection.parse({ name: '', text, types: [] }, true);
        connection.describe({ type: 'S', name: '' }, true);
        connection.sync();
      },
      handleRowDescription(described: { fields: Field[] }) {
        fields = described.fields;
      },
      handleError: reject,
      handleReadyForQuery: () => resolve(fields),
    } as pg.Submittable);
  });
}
