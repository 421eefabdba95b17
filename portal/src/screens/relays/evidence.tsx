import { Fact, Facts, Table } from '../../design/table';
import { Badge, None } from '../../design/values';
import { texts } from '../../texts.ts';

const words = texts(
  {
    title: 'Evidence',
    node: 'Node',
    differs: 'The nodes differ',
    raw: 'As it is stored',
  },
  {
    fr: {
      title: 'Éléments de preuve',
      node: 'Nœud',
      differs: 'Les nœuds diffèrent',
      raw: 'Tel qu’enregistré',
    },
  },
);

type Values = Readonly<Record<string, unknown>>;

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What nodes answered to one question: each entry names its node. */
const isAnswers = (value: unknown): value is readonly Values[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => isValues(one) && 'node' in one);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The evidence for a change: who was asked, and what each said. Where nodes differ it is said in words. */
export function Evidence({ evidence }: { readonly evidence: Values }) {
  if (Object.keys(evidence).length === 0) return null;
  return (
    <details>
      <summary>{words.title}</summary>
      <Members values={evidence} />
      <details>
        <summary>{words.raw}</summary>
        <pre className="raw" tabIndex={0}>
          {JSON.stringify(evidence, null, 2)}
        </pre>
      </details>
    </details>
  );
}

function Members({ values }: { readonly values: Values }) {
  const entries = Object.entries(values);
  const plain = entries.filter(([, value]) => !isAnswers(value) && !isValues(value));
  return (
    <>
      {plain.length > 0 && (
        <Facts>
          {plain.map(([name, value]) => (
            <Fact key={name} name={<code>{name}</code>}>
              {value === null ? <None /> : <code className="wrap">{textOf(value)}</code>}
            </Fact>
          ))}
        </Facts>
      )}
      {entries.map(([name, value]) =>
        isAnswers(value) ? (
          <Answers key={name} name={name} answers={value} />
        ) : (
          isValues(value) && (
            <div key={name}>
              <p>
                <code>{name}</code>
              </p>
              <Members values={value} />
            </div>
          )
        ),
      )}
    </>
  );
}

function Answers({ name, answers }: { readonly name: string; readonly answers: readonly Values[] }) {
  const members = [...new Set(answers.flatMap((answer) => Object.keys(answer)))].filter(
    (member) => member !== 'node',
  );
  const differ = members.filter(
    (member) => new Set(answers.map((answer) => JSON.stringify(answer[member]))).size > 1,
  );
  return (
    <div className="stack">
      <p>
        <code>{name}</code> {differ.length > 0 && <Badge tone="warn">{words.differs}</Badge>}
      </p>
      <Table
        label={name}
        rows={answers.map((answer, index) => ({ answer, key: `${textOf(answer['node'])} ${index}` }))}
        keyOf={({ key }) => key}
        columns={[
          { name: words.node, cell: ({ answer }) => textOf(answer['node']) },
          ...members.map((member) => ({
            name: member,
            cell: ({ answer }: { readonly answer: Values }) =>
              answer[member] === undefined || answer[member] === null ? (
                <None />
              ) : (
                <code className="wrap">{textOf(answer[member])}</code>
              ),
          })),
        ]}
      />
    </div>
  );
}
