import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { VariablesOf } from 'gql.tada';
import { useState } from 'react';
import { holdsOwner, PLACE_NAMES } from '../../app/places.ts';
import { useViewer } from '../../app/session';
import { Button } from '../../design/button';
import { FormLayer } from '../../design/dialog';
import { Checkbox, Field, Select } from '../../design/fields';
import { Await, Card, Listing, Notice } from '../../design/states';
import { Fact, Facts, Table } from '../../design/table';
import { Badge, Code, None, Time } from '../../design/values';
import { countText } from '../../format.ts';
import { useAction, useEvery, useLive, usePages, useRead } from '../../graphql/hooks';
import { request as run } from '../../graphql/request';
import { texts } from '../../texts.ts';
import { AssetTransactions } from './asset-transactions';
import {
  APPLICATION_NAMES,
  ASSETS,
  ASSIGN_ASSET,
  BIND_MINT,
  CREATE_ASSET,
  ONE_ASSET,
  TRANSACTION_ADDED,
  type AssetNode,
} from './documents';
import { AuditorKeys } from './keys/auditor-keys';
import { indexingReason } from './indexing-words';
import { POLICY, PolicyChoice, PolicyName } from './asset-policy';
import { KeyCoverage } from './keys/key-coverage';
import { EarlierKeys, MintKey } from './keys/mint-key';
import { PageHead } from './page';
import { RetireAsset } from './retire-asset';

const words = texts(
  {
    register: 'Register an asset…',
    registerTitle: 'Register an asset',
    action: 'Register the asset',
    busy: 'Registering…',
    empty: 'There is no asset. Register one, configure its mint with the auditor key, then bind the mint.',
    name: 'Name',
    symbol: 'Symbol',
    decimals: 'Decimals',
    burn: 'The mint will support confidential mint and burn',
    workspace: 'Application',
    none: 'None yet',
    state: 'State',
    indexed: 'Transactions',
    asset: 'Asset',
    mintKey: 'Key on the mint',
    steps: 'Where it stands',
    log: 'What was done with it, in the activity log',
    disclosures: 'Disclosures of it',
    registered: 'Registered',
    configure: 'Configure the mint with this auditor key',
    newestKey: 'Current auditor key',
    theKey: 'the auditor key',
    bind: 'Bind the mint',
    boundMint: 'Mint',
    followed: 'Followed on the ledger',
    bindAction: 'Bind a mint…',
    bindTitle: 'Bind a mint',
    mint: 'Mint address',
    theMint: 'the mint',
    bindText:
      'The gateway checks on the ledger that the mint has your auditor key. Until it does, nothing is indexed.',
    observe: 'Index it also while it has another auditor key, or none',
    binding: 'Binding…',
    assign: 'Assign to an application…',
    assignTitle: 'Assign the asset',
    assigning: 'Assigning…',
    active: 'active',
    pending: 'pending',
    disabled: 'disabled',
    error: 'needs attention',
  },
  {
    fr: {
      register: 'Enregistrer un actif…',
      registerTitle: 'Enregistrer un actif',
      action: 'Enregistrer l’actif',
      busy: 'Enregistrement…',
      empty:
        'Il n’y a pas d’actif. Enregistrez-en un, configurez son mint avec la clé d’auditeur, puis liez le mint.',
      name: 'Nom',
      symbol: 'Symbole',
      decimals: 'Décimales',
      burn: 'Le mint permettra l’émission et la destruction confidentielles',
      workspace: 'Application',
      none: 'Pas encore',
      state: 'État',
      indexed: 'Transactions',
      asset: 'Actif',
      mintKey: 'Clé dans le mint',
      steps: 'Où il en est',
      log: 'Ce qui en a été fait, dans le journal d’activité',
      disclosures: 'Ses divulgations',
      registered: 'Enregistré',
      configure: 'Configurez le mint avec cette clé d’auditeur',
      newestKey: 'Clé d’auditeur actuelle',
      theKey: 'la clé d’auditeur',
      bind: 'Liez le mint',
      boundMint: 'Mint',
      followed: 'Suivi sur le registre',
      bindAction: 'Lier un mint…',
      bindTitle: 'Lier un mint',
      mint: 'Adresse du mint',
      theMint: 'le mint',
      bindText:
        'La passerelle vérifie sur le registre que le mint a votre clé d’auditeur. D’ici là, rien n’est indexé.',
      observe: 'L’indexer aussi tant qu’il a une autre clé d’auditeur, ou aucune',
      binding: 'Liaison…',
      assign: 'Attribuer à une application…',
      assignTitle: 'Attribuer l’actif',
      assigning: 'Attribution…',
      active: 'actif',
      pending: 'en attente',
      disabled: 'désactivé',
      error: 'demande attention',
    },
  },
);

const TONES = { active: 'good', pending: 'warn', disabled: 'plain', error: 'bad' } as const;

export function Assets() {
  const [isOpen, setOpen] = useState(false);
  const [key] = useState(() => crypto.randomUUID());
  const navigate = useNavigate();
  const pages = usePages(['assets'], ASSETS, {}, ({ assets }) => assets);
  // Which mints are left to update is said of all assets, not of those that are listed so far.
  const every = useEvery(['assets', 'every'], ASSETS, {}, ({ assets }) => assets, { enabled: pages.hasMore });
  const action = useAction(
    (input: VariablesOf<typeof CREATE_ASSET>['input']) => run(CREATE_ASSET, { input, idempotencyKey: key }),
    [['assets'], ['auditorKeys']],
  );
  return (
    <>
      <PageHead
        title={PLACE_NAMES.assets}
        action={
          <Button variant="primary" onPress={() => setOpen(true)}>
            {words.register}
          </Button>
        }
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
      {isOpen && (
        <FormLayer
          title={words.registerTitle}
          action={words.action}
          busy={words.busy}
          isRunning={action.isRunning}
          problem={action.problem}
          onClose={() => setOpen(false)}
          onSubmit={(values) => {
            const disclosurePolicyId = values.text('disclosurePolicyId');
            void action.run(
              {
                name: values.text('name'),
                symbol: values.text('symbol'),
                decimals: Number(values.text('decimals')),
                confidentialMintBurnEnabled: values.isOn('confidentialMintBurnEnabled'),
                ...(disclosurePolicyId === '' ? {} : { disclosurePolicyId }),
              },
              ({ createAsset: { id } }) => void navigate({ to: '/organization/assets/$id', params: { id } }),
            );
          }}
        >
          <Field name="name" label={words.name} isRequired maxLength={128} />
          <Field name="symbol" label={words.symbol} isRequired maxLength={16} />
          <Field
            name="decimals"
            type="number"
            label={words.decimals}
            isRequired
            min="0"
            max="255"
            defaultValue="6"
          />
          <Checkbox name="confidentialMintBurnEnabled" label={words.burn} />
          <PolicyChoice name="disclosurePolicyId" />
        </FormLayer>
      )}
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
            action={<Steps asset={asset} />}
          />
          <Card title={words.steps}>
            {asset.indexerStatus.reason !== null && (
              <Notice tone={asset.indexerStatus.status === 'error' ? 'bad' : 'warn'}>
                {indexingReason(asset.indexerStatus.reason)}
              </Notice>
            )}
            <Facts>
              <Fact name={words.registered}>
                <Time at={asset.createdAt} />
              </Fact>
              <Fact name={asset.mintAddress === null ? words.configure : words.newestKey}>
                <Code value={asset.auditorElGamalPubkey} ends={10} what={words.theKey} />
              </Fact>
              <Fact name={asset.mintAddress === null ? words.bind : words.boundMint}>
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

function Steps({ asset }: { readonly asset: AssetNode }) {
  const applications =
    useEvery(['applications', 'names'], APPLICATION_NAMES, {}, (result) => result.applications).data ?? [];
  const [open, setOpen] = useState<'bind' | 'assign'>();
  const close = () => setOpen(undefined);
  const bind = useAction(
    (mint: { mintAddress: string; observe: boolean }) =>
      run(BIND_MINT, { input: { assetId: asset.id, ...mint } }),
    [['asset', asset.id], ['assets']],
  );
  const assign = useAction(
    (foreignId: string) => run(ASSIGN_ASSET, { input: { assetId: asset.id, foreignId: foreignId || null } }),
    [['asset', asset.id], ['assets']],
  );
  return (
    <div className="row">
      {asset.mintAddress === null && (
        <Button variant="primary" onPress={() => setOpen('bind')}>
          {words.bindAction}
        </Button>
      )}
      <Button onPress={() => setOpen('assign')}>{words.assign}</Button>
      <RetireAsset asset={asset} />
      {open === 'bind' && (
        <FormLayer
          title={words.bindTitle}
          action={words.bind}
          busy={words.binding}
          isRunning={bind.isRunning}
          problem={bind.problem}
          onClose={close}
          onSubmit={(values) =>
            void bind.run({ mintAddress: values.text('mintAddress'), observe: values.isOn('observe') }, close)
          }
        >
          <p>{words.bindText}</p>
          <Field name="mintAddress" label={words.mint} isRequired isMono />
          <Checkbox name="observe" label={words.observe} />
        </FormLayer>
      )}
      {open === 'assign' && (
        <FormLayer
          title={words.assignTitle}
          action={words.assignTitle}
          busy={words.assigning}
          isRunning={assign.isRunning}
          problem={assign.problem}
          onClose={close}
          onSubmit={(values) => void assign.run(values.text('foreignId'), close)}
        >
          <Select
            name="foreignId"
            label={words.workspace}
            defaultValue={asset.application?.foreignId ?? ''}
            options={[
              { value: '', label: words.none },
              ...applications.map(({ foreignId, name }) => ({ value: foreignId, label: name })),
            ]}
          />
        </FormLayer>
      )}
    </div>
  );
}
