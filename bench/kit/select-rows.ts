import pg from 'pg';

export type Row = Readonly<Record<string, unknown>>;

/** Rows as JSON: the expected result of both arms, read without either. */
export async function selectRows(databaseUrl: string, text: string, values: unknown[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<Row>(text, values);
    return JSON.parse(JSON.stringify(rows)) as Row[];
  } finally {
    await client.end();
  }
}
