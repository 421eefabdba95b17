import { RangeBars } from '../../../design/bars';
import { Listing, Notice } from '../../../design/states';
import { Table } from '../../../design/table';
import { Badge, Code, None } from '../../../design/values';
import { countText } from '../../../format.ts';
import { usePages } from '../../../graphql/hooks';
import { texts } from '../../../texts.ts';
import type { AssetNode } from '../documents';
import { AUDITOR_KEY_COVERAGE, type KeyRange } from './auditor-key-documents';
import { hasEarlierKey } from './mint-key';

const words = texts(
  {
    title: 'Auditor keys of the mint',
    empty: 'No auditor key is indexed yet.',
    from: 'From slot',
    to: 'To slot',
    now: 'until now',
    picture: 'Amounts by slot',
    summary: (readable: number, all: number) =>
      `Ranges of slots in which amounts are readable: ${countText(readable)} of ${countText(all)}.`,
    loaded: 'Of the ranges that are loaded; more are below.',
    key: 'Key on the mint',
    theKey: 'the auditor key',
    readable: 'Amounts',
    own: (epoch: number) => `readable: your key ${epoch}`,
    no_auditor: 'never readable: the mint had no auditor',
    foreign_key: 'not readable: another’s key',
    invalid_key: 'never readable: not a key',
    outdated:
      'The mint has another key of yours. To encrypt its next amounts to the current one, the authority of the mint sets it.',
  },
  {
    fr: {
      title: 'Clés d’auditeur du mint',
      empty: 'Aucune clé d’auditeur n’est encore indexée.',
      from: 'Du slot',
      to: 'Au slot',
      now: 'jusqu’ici',
      picture: 'Montants par slot',
      summary: (readable: number, all: number) =>
        `Plages de slots où les montants sont lisibles : ${countText(readable)} sur ${countText(all)}.`,
      loaded: 'Des plages chargées ; d’autres suivent.',
      key: 'Clé dans le mint',
      theKey: 'la clé d’auditeur',
      readable: 'Montants',
      own: (epoch: number) => `lisibles : votre clé ${epoch}`,
      no_auditor: 'jamais lisibles : le mint n’avait pas d’auditeur',
      foreign_key: 'illisibles : clé d’un autre',
      invalid_key: 'jamais lisibles : ce n’est pas une clé',
      outdated:
        'Le mint a une autre de vos clés. Pour que ses prochains montants soient chiffrés pour la clé actuelle, son autorité met le mint à jour.',
    },
  },
);

const readableText = ({ epoch, reason }: Pick<KeyRange, 'epoch' | 'reason'>): string =>
  reason === null ? words.own(epoch ?? 0) : words[reason];

/** Which auditor keys the mint had from slot to slot, and which amounts nobody here can read. */
export function KeyCoverage({ asset }: { readonly asset: AssetNode }) {
  const pages = usePages(
    ['auditorKeyCoverage', asset.id],
    AUDITOR_KEY_COVERAGE,
    { id: asset.id },
    (result) => result.asset.auditorKeyCoverage,
  );
  return (
    <section className="stack">
      <h2>{words.title}</h2>
      {hasEarlierKey(asset) && <Notice tone="warn">{words.outdated}</Notice>}
      <Listing pages={pages} empty={words.empty}>
        {(nodes) => (
          <>
            <RangeBars
              title={words.picture}
              summary={[
                words.summary(nodes.filter(({ readable }) => readable).length, nodes.length),
                ...(pages.hasMore ? [words.loaded] : []),
              ].join(' ')}
              ranges={nodes.map((node) => ({
                from: node.fromSlot,
                to: node.toSlot,
                text: readableText(node),
                isGood: node.readable,
              }))}
              end={Math.max(asset.indexerStatus.latestSlot ?? 0, nodes.at(-1)!.fromSlot)}
              endText={pages.hasMore ? countText(nodes.at(-1)!.toSlot ?? 0) : words.now}
            />
            <Table
              label={words.title}
              rows={nodes}
              keyOf={({ fromSlot, signature }) => `${fromSlot} ${signature}`}
              columns={[
                { name: words.from, isNumber: true, cell: ({ fromSlot }) => countText(fromSlot) },
                {
                  name: words.to,
                  isNumber: true,
                  cell: ({ toSlot }) => (toSlot === null ? words.now : countText(toSlot)),
                },
                {
                  name: words.key,
                  cell: ({ auditorElGamalPubkey }) =>
                    auditorElGamalPubkey === null ? (
                      <None />
                    ) : (
                      <Code value={auditorElGamalPubkey} ends={6} what={words.theKey} />
                    ),
                },
                {
                  name: words.readable,
                  cell: (range) => (
                    <Badge tone={range.readable ? 'good' : 'bad'}>{readableText(range)}</Badge>
                  ),
                },
              ]}
            />
          </>
        )}
      </Listing>
    </section>
  );
}
