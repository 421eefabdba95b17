import { Fact, Facts } from '../../design/table';
import { Badge } from '../../design/values';
import { texts } from '../../texts.ts';
import { evidenceInWords, type Values } from './evidence-words.ts';

const words = texts(
  { title: 'Evidence', differs: 'The nodes differ', raw: 'As it is stored' },
  { fr: { title: 'Éléments de preuve', differs: 'Les nœuds diffèrent', raw: 'Tel qu’enregistré' } },
);

/**
 * The evidence for a change: the finding, the nodes that were asked, and their answers. Differences between nodes are
 * stated in words.
 */
export function Evidence({
  evidence,
  title = words.title,
}: {
  readonly evidence: Values;
  readonly title?: string;
}) {
  if (Object.keys(evidence).length === 0) return null;
  const { sentences, facts, groups, rest } = evidenceInWords(evidence);
  return (
    <details>
      <summary>{title}</summary>
      <div className="stack">
        {sentences.map((sentence, index) => (
          <p key={index}>{sentence}</p>
        ))}
        {(facts.length > 0 || Object.keys(rest).length > 0) && (
          <Facts>
            {facts.map(({ name, value, isCode }) => (
              <Fact key={name} name={name}>
                {isCode ? <code className="wrap">{value}</code> : value}
              </Fact>
            ))}
            {Object.entries(rest).map(([name, value]) => (
              <Fact key={name} name={<code>{name}</code>}>
                <code className="wrap">{JSON.stringify(value)}</code>
              </Fact>
            ))}
          </Facts>
        )}
        {groups.map(({ name, title: question, statements, differ }) => (
          <div key={name}>
            <p>
              <strong>{question}</strong> {differ && <Badge tone="warn">{words.differs}</Badge>}
            </p>
            <Facts>
              {statements.map(({ node, sentences: lines }, index) => (
                <Fact key={`${node} ${index}`} name={node}>
                  {lines.map((sentence, line) => (
                    <p key={line}>{sentence}</p>
                  ))}
                </Fact>
              ))}
            </Facts>
          </div>
        ))}
        <details>
          <summary>{words.raw}</summary>
          <pre className="raw" tabIndex={0}>
            {JSON.stringify(evidence, null, 2)}
          </pre>
        </details>
      </div>
    </details>
  );
}
