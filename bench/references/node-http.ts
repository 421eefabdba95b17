// The minimum that answers the same reads: node:http, and `pg` with one prepared statement per request, without authentication
// and logging.
import { createServer, type ServerResponse } from 'node:http';
import pg from 'pg';
import { options, serve } from './listen.ts';
import { RECORD_COLUMNS } from './record-columns.ts';

const { databaseUrl } = await options<{ readonly databaseUrl: string }>();
const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });

const ONE = { name: 'one', text: `select ${RECORD_COLUMNS} from transactions where id = $1` };
const PAGE = {
  name: 'page',
  text: `select ${RECORD_COLUMNS}, position::float8 as position from transactions
    where asset_id = $1 and position > $2 order by transactions.position limit $3`,
};

serve(
  createServer((request, response) => {
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const [, , kind, id = ''] = path.split('/');
    const answering =
      kind === 'transactions'
        ? answerOne(response, id)
        : answerPage(response, id, new URLSearchParams(query));
    answering.catch((thrown: unknown) => {
      response.statusCode = 500;
      response.end(String(thrown));
    });
  }),
);

async function answerOne(response: ServerResponse, id: string): Promise<void> {
  const { rows } = await pool.query({ ...ONE, values: [id] });
  send(response, rows[0]);
}

async function answerPage(response: ServerResponse, assetId: string, query: URLSearchParams): Promise<void> {
  const limit = Number(query.get('limit'));
  const values = [assetId, Number(query.get('cursor')), limit + 1];
  const { rows } = await pool.query<{ position?: number }>({ ...PAGE, values });
  const more = rows.length > limit;
  if (more) rows.pop();
  const last = rows.at(-1)?.position;
  for (const row of rows) delete row.position;
  send(response, { assetId, transactions: rows, nextCursor: more ? String(last) : null });
}

function send(response: ServerResponse, answer: unknown): void {
  const body = JSON.stringify(answer);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
