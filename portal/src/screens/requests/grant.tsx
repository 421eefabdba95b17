import { Checkbox, Choices, Field } from '../../design/fields';
import { texts } from '../../texts.ts';
import { FLAGS } from '../flags.ts';
import { flagMeaning, flagName, distinguished, type Flags } from '../scope.ts';
import type { RequestNode } from './documents';

const words = texts(
  {
    period: 'Days to cover (UTC)',
    from: 'First day',
    to: 'Last day',
    access: 'Days of access',
    auditors: 'Auditors',
    assets: 'Assets',
    see: 'Shown beyond amounts and days',
    nothing: 'Nothing beyond amounts and days was requested.',
    nobody: 'Keep at least one auditor.',
    noAsset: 'Keep at least one asset.',
  },
  {
    fr: {
      period: 'Jours à couvrir (UTC)',
      from: 'Premier jour',
      to: 'Dernier jour',
      access: 'Jours d’accès',
      auditors: 'Auditeurs',
      assets: 'Actifs',
      see: 'Visible en plus des montants et des jours',
      nothing: 'Rien au-delà des montants et des jours n’a été demandé.',
      nobody: 'Gardez au moins un auditeur.',
      noAsset: 'Gardez au moins un actif.',
    },
  },
);

/** What an approval grants: at most what was asked for. */
export interface Grant {
  readonly periodFrom: string;
  readonly periodTo: string;
  readonly accessDays: number;
  readonly disclosureFlags: Flags;
  readonly assetIds: readonly string[];
  readonly auditorIds: readonly string[];
}

export const grantOfAll = (request: RequestNode): Grant => ({
  periodFrom: request.periodFrom,
  periodTo: request.periodTo,
  accessDays: request.accessDays,
  disclosureFlags: request.disclosureFlags,
  assetIds: request.assetIds,
  auditorIds: request.auditors.map(({ id }) => id),
});

/** The members in which less is granted than was asked for; `undefined` where everything is granted. */
export function lessThanAsked(request: RequestNode, grant: Grant) {
  const { periodFrom, periodTo, accessDays, disclosureFlags } = grant;
  const less = {
    ...(periodFrom === request.periodFrom ? {} : { periodFrom }),
    ...(periodTo === request.periodTo ? {} : { periodTo }),
    ...(accessDays === request.accessDays ? {} : { accessDays }),
    ...(FLAGS.every((flag) => disclosureFlags[flag] === request.disclosureFlags[flag])
      ? {}
      : { disclosureFlags }),
    ...(grant.assetIds.length === request.assetIds.length ? {} : { assetIds: [...grant.assetIds] }),
    ...(grant.auditorIds.length === request.auditors.length ? {} : { auditorIds: [...grant.auditorIds] }),
  };
  return Object.keys(less).length === 0 ? undefined : less;
}

/** The parts of the request, each of which can be omitted or reduced. */
export function GrantFields({
  request,
  grant,
  onChange,
}: {
  readonly request: RequestNode;
  readonly grant: Grant;
  readonly onChange: (grant: Grant) => void;
}) {
  const asked = FLAGS.filter((flag) => request.disclosureFlags[flag]);
  const kept = (ids: readonly string[], known: readonly string[], id: string, isOn: boolean) =>
    known.filter((other) => (other === id ? isOn : ids.includes(other)));
  return (
    <>
      <fieldset className="fieldset">
        <legend>{words.see}</legend>
        {asked.length === 0 && <p>{words.nothing}</p>}
        {asked.map((flag) => (
          <Checkbox
            key={flag}
            name={`grant.disclosureFlags.${flag}`}
            label={flagName(flag)}
            hint={flagMeaning(flag)}
            checked={grant.disclosureFlags[flag]}
            onChange={(isOn) =>
              onChange({ ...grant, disclosureFlags: { ...grant.disclosureFlags, [flag]: isOn } })
            }
          />
        ))}
      </fieldset>
      <fieldset className="fieldset">
        <legend>{words.period}</legend>
        <div className="row">
          <Field
            name="grant.periodFrom"
            type="date"
            label={words.from}
            isRequired
            value={grant.periodFrom}
            onChange={(periodFrom) => onChange({ ...grant, periodFrom })}
            min={request.periodFrom}
            max={grant.periodTo}
          />
          <Field
            name="grant.periodTo"
            type="date"
            label={words.to}
            isRequired
            value={grant.periodTo}
            onChange={(periodTo) => onChange({ ...grant, periodTo })}
            min={grant.periodFrom}
            max={request.periodTo}
          />
        </div>
      </fieldset>
      <Field
        name="grant.accessDays"
        type="number"
        label={words.access}
        isRequired
        value={grant.accessDays === 0 ? '' : String(grant.accessDays)}
        onChange={(days) => onChange({ ...grant, accessDays: Number(days) })}
        min="1"
        max={String(request.accessDays)}
      />
      <Choices legend={words.auditors} problem={grant.auditorIds.length === 0 ? words.nobody : undefined}>
        {request.auditors.map(({ id, name, email }) => (
          <Checkbox
            key={id}
            name="grant.auditorIds"
            value={id}
            label={name}
            hint={email}
            checked={grant.auditorIds.includes(id)}
            onChange={(isOn) =>
              onChange({
                ...grant,
                auditorIds: kept(
                  grant.auditorIds,
                  request.auditors.map((auditor) => auditor.id),
                  id,
                  isOn,
                ),
              })
            }
          />
        ))}
      </Choices>
      <Choices legend={words.assets} problem={grant.assetIds.length === 0 ? words.noAsset : undefined}>
        {distinguished(request.assets).map(({ id, name }) => (
          <Checkbox
            key={id}
            name="grant.assetIds"
            value={id}
            label={name}
            checked={grant.assetIds.includes(id)}
            onChange={(isOn) =>
              onChange({ ...grant, assetIds: kept(grant.assetIds, request.assetIds, id, isOn) })
            }
          />
        ))}
      </Choices>
    </>
  );
}
