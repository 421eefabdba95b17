import os from 'node:os';
import pg from 'pg';

/** A line that describes the machine of the measurements. */
export async function describeMachine(databaseUrl: string): Promise<string> {
  const cpu = os.cpus()[0]?.model ?? 'unknown processor';
  const gibibytes = Math.round(os.totalmem() / 2 ** 30);
  const load = os.loadavg()[0]?.toFixed(1);
  const postgresql = await settingsOf(databaseUrl);
  return `${os.availableParallelism()} × ${cpu}, ${gibibytes} GiB, ${os.type()} ${os.release()}, Node ${process.version}, ${postgresql}; load before the run ${load}`;
}

async function settingsOf(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<'version' | 'fsync' | 'commit', string>>(
      `select current_setting('server_version') as version, current_setting('fsync') as fsync,
        current_setting('synchronous_commit') as commit`,
    );
    const [{ version, fsync, commit }] = rows as [Record<'version' | 'fsync' | 'commit', string>];
    return `PostgreSQL ${version.split(' ')[0]} (fsync ${fsync}, synchronous_commit ${commit})`;
  } finally {
    await client.end();
  }
}
