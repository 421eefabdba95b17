import { None } from '../../design/values';
import { counted, texts } from '../../texts.ts';

const words = texts(
  { named: (count: number) => counted(count, 'record named by its id', 'records named by their ids') },
  {
    fr: {
      named: (count: number) =>
        counted(
          count,
          'enregistrement désigné par son identifiant',
          'enregistrements désignés par leurs identifiants',
        ),
    },
  },
);

/** The records that a disclosure names, each by its id, or the account whose records it selects. */
export function NamedRecords({
  ids,
  account,
}: {
  readonly ids: readonly string[] | null;
  readonly account: string | null;
}) {
  if (ids === null) return account ?? <None />;
  return (
    <details>
      <summary>{words.named(ids.length)}</summary>
      <ul>
        {ids.map((id) => (
          <li key={id}>
            <code className="wrap">{id}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}
