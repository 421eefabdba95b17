import { Link, useParams } from '@tanstack/react-router';
import { holdsOwner, PLACE_NAMES } from '../../../app/places.ts';
import { useViewer } from '../../../app/session';
import { Await, Card, Listing, Notice } from '../../../design/states';
import { Fact, Facts, Table } from '../../../design/table';
import { Badge, Code, None, Time } from '../../../design/values';
import { countText } from '../../../format.ts';
import { useEvery, useLive, usePages, useRead } from '../../../graphql/hooks';
import { texts } from '../../../texts.ts';
import { AssetTransactions } from './asset-transactions';
import { ChangeAsset } from './change-asset';
import { ASSETS, ONE_ASSET, TRANSACTION_ADDED } from '../documents';
import { AuditorKeys } from '../keys/auditor-keys';
import { indexingReason, isMintWrong } from './indexing-words';
import { canUnbind } from './retire-asset';
import { POLICY, PolicyName } from './asset-policy';
import { KeyCoverage } from '../keys/key-coverage';
import { EarlierKeys, MintKey } from '../keys/mint-key';
import { PageHead } from '../page';
import { RegisterAsset } from './register-asset';

const words = texts(
  {
    empty: 'There is no asset. Register one, configure its mint with the auditor key, then bind the mint.',
    name: 'Name',
    symbol: 'Symbol',
    decimals: 'Decimals',
    workspace: 'Application',
    state: 'State',
    indexed: 'Transactions',
    asset: 'Asset',
    mintKey: 'Key on the mint',
    steps: 'The asset',
    log: 'What was done with it, in the activity log',
    disclosures: 'Disclosures of it',
    registered: 'Registered',
    configure: 'Auditor key for the mint',
    next: 'Next: configure the mint with this auditor key, then bind the mint here.',
    wrongMint: 'If this is the wrong mint, choose “Unbind the mint…”, then bind the right one.',
    newestKey: 'Current auditor key',
    theKey: 'the auditor key',
    boundMint: 'Mint',
    mint: 'Mint address',
    followed: 'Followed on the ledger',
    theMint: 'the mint',
    active: 'active',
    pending: 'pending',
    disabled: 'disabled',
    error: 'needs attention',
  },
  {
    fr: {
      empty:
        'Il n’y a pas d’actif. Enregistrez-en un, configurez son mint avec la clé d’auditeur, puis liez le mint.',
      name: 'Nom',
      symbol: 'Symbole',
      decimals: 'Décimales',
      workspace: 'Application',
      state: 'État',
      indexed: 'Transactions',
      asset: 'Actif',
      mintKey: 'Clé dans le mint',
      steps: 'L’actif',
      log: 'Ce qui en a été fait, dans le journal d’activité',
      disclosures: 'Ses divulgations',
      registered: 'Enregistré',
      configure: 'Clé d’auditeur pour le mint',
      next: 'Ensuite : configurez le mint avec cette clé d’auditeur, puis liez-le ici.',
      wrongMint: 'Si ce n’est pas le bon mint, choisissez « Délier le mint… », puis liez le bon.',
      newestKey: 'Clé d’auditeur actuelle',
      theKey: 'la clé d’auditeur',
      boundMint: 'Mint',
      mint: 'Adresse du mint',
      followed: 'Suivi sur le registre',
      theMint: 'le mint',
      active: 'actif',
      pending: 'en attente',
      disabled: 'désactivé',
      error: 'demande attention',
    },
  },
);

const TONES = { active: 'good', pending: 'warn', disabled: 'plain', error: 'bad' } as const;

export function Assets() {
  const { permissions } = useViewer();
  const pages = usePages(['assets'], ASSETS, {}, ({ assets }) => assets);
  // The mints that need an update are computed from all assets, not only the loaded ones.
  const every = useEvery(['assets', 'every'], ASSETS, {}, ({ assets }) => assets, { enabled: pages.hasMore });
  return (
    <>
      <PageHead
        title={PLACE_NAMES.assets}
        action={holdsOwner(permissions, 'applications:create') && <RegisterAsset />}
      />
      <Listing pages={pages} empty={words.empty}>
        {(nodes) => (
          <Table
            label={PLACE_NAMES.assets}
            rows={nodes}
            keyOf={({ id }) => id}
            columns={[
              {
                name: words.name,
                cell: ({ id, name }) => (
                  <Link to="/organization/assets/$id" params={{ id }}>
                    {name}
                  </Link>
                ),
              },
              { name: words.symbol, cell: ({ symbol }) => symbol },
              { name: words.workspace, cell: ({ application }) => application?.name ?? <None /> },
              {
                name: words.state,
                cell: ({ indexerStatus: { status } }) => <Badge tone={TONES[status]}>{words[status]}</Badge>,
              },
              {
                name: words.indexed,
                isNumber: true,
                cell: ({ indexerStatus }) => countText(indexerStatus.indexedCount),
              },
              {
                name: words.mint,
                cell: ({ mintAddress }) =>
                  mintAddress === null ? <None /> : <Code value={mintAddress} ends={6} />,
              },
              { name: words.mintKey, cell: (asset) => <MintKey asset={asset} /> },
            ]}
          />
        )}
      </Listing>
      <EarlierKeys assets={every.data ?? pages.nodes} />
      <AuditorKeys />
    </>
  );
}

export function Asset() {
  const { id } = useParams({ from: '/signed-in/organization/assets/$id' });
  const { permissions } = useViewer();
  const reading = useRead(['asset', id], ONE_ASSET, { id });
  useLive(TRANSACTION_ADDED, { assetId: id }, ({ transactionAdded }) => transactionAdded.cursor, [
    ['asset', id],
    ['transactions', id],
    ['auditorKeyCoverage', id],
  ]);
  return (
    <Await reading={reading} place={words.asset}>
      {({ data: { asset } }) => (
        <>
          <PageHead
            title={words.asset}
            name={`${asset.name} (${asset.symbol})`}
            action={holdsOwner(permissions, 'applications:create') && <ChangeAsset asset={asset} />}
          />
          <Card title={words.steps}>
            {asset.indexerStatus.reason !== null && (
              <Notice tone={asset.indexerStatus.status === 'error' ? 'bad' : 'warn'}>
                <p>
                  {indexingReason(asset.indexerStatus.reason)}{' '}
                  {isMintWrong(asset.indexerStatus.reason) && canUnbind(asset) && words.wrongMint}
                </p>
              </Notice>
            )}
            {asset.mintAddress === null && <p>{words.next}</p>}
            <Facts>
              <Fact name={words.registered}>
                <Time at={asset.createdAt} />
              </Fact>
              <Fact name={asset.mintAddress === null ? words.configure : words.newestKey}>
                <Code value={asset.auditorElGamalPubkey} ends={10} what={words.theKey} />
              </Fact>
              <Fact name={words.boundMint}>
                {asset.mintAddress === null ? (
                  <None />
                ) : (
                  <Code value={asset.mintAddress} ends={10} what={words.theMint} />
                )}
              </Fact>
              <Fact name={words.followed}>
                <Badge tone={TONES[asset.indexerStatus.status]}>{words[asset.indexerStatus.status]}</Badge>
              </Fact>
              <Fact name={words.workspace}>{asset.application?.name ?? <None />}</Fact>
              <Fact name={words.indexed}>{countText(asset.indexerStatus.indexedCount)}</Fact>
              <Fact name={words.decimals}>{asset.decimals}</Fact>
              <Fact name={POLICY}>
                <PolicyName named={asset.disclosurePolicyId} />
              </Fact>
            </Facts>
            <div className="row">
              {holdsOwner(permissions, 'logs:view_activity') && (
                <Link to="/organization/log" search={{ of: id }}>
                  {words.log}
                </Link>
              )}
              {holdsOwner(permissions, 'disclosures:decide') && (
                <Link to="/disclosures" search={{ asset: id }}>
                  {words.disclosures}
                </Link>
              )}
            </div>
          </Card>
          {asset.mintAddress !== null && <KeyCoverage asset={asset} />}
          <AssetTransactions asset={asset} />
        </>
      )}
    </Await>
  );
}
