import { Link } from '@tanstack/react-router';
import { Dialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { holds } from '../../app/places.ts';
import { useViewer } from '../../app/session';
import { ExactTime, Timed } from '../../design/values';
import { listText } from '../../format.ts';
import { capitalized, texts } from '../../texts.ts';
import type { Flag } from '../flags.ts';
import { flagName, scopeSearch } from '../scope.ts';
import type { CaseNode } from './documents';
import { columnName, type ColumnMember } from './transaction-cells';
import { missingFlag } from './why-hidden.ts';

const words = texts(
  {
    isHidden: (what: string, count: number) => `${what} ${count === 1 ? 'is' : 'are'} hidden`,
    notGranted: (flag: string) =>
      `This case does not grant ${flag}. The gateway left the value out: it is not in this page.`,
    ofColumns: (what: string, flag: string) => `${what}: this case does not grant ${flag}.`,
    leftOut: 'The gateway left the values out: they are not in this page.',
    granted: (by: string, when: string, who: string) => `${by} approved the scope on ${when}, for ${who}.`,
    wider: 'Request a wider scope',
  },
  {
    fr: {
      isHidden: (what: string, count: number) => `${what} : masqué${count === 1 ? '' : 's'}`,
      notGranted: (flag: string) =>
        `Ce dossier n’accorde pas : ${flag}. La passerelle a omis la valeur : elle n’est pas dans cette page.`,
      ofColumns: (what: string, flag: string) => `${what} : ce dossier n’accorde pas : ${flag}.`,
      leftOut: 'La passerelle a omis les valeurs : elles ne sont pas dans cette page.',
      granted: (by: string, when: string, who: string) =>
        `${by} a approuvé la portée le ${when}, pour ${who}.`,
      wider: 'Demander une portée plus large',
    },
  },
);

/** Why a value, or every value of some columns, is not shown, and what would show it. */
export function Explanation({
  members,
  type,
  app,
  item,
}: {
  readonly members: readonly ColumnMember[];
  readonly type: string;
  readonly app: string;
  readonly item: CaseNode;
}) {
  const viewer = useViewer();
  const byFlag = Map.groupBy(members, (member): Flag => missingFlag(member, type));
  return (
    <Dialog className="stack">
      <Heading slot="title" level={2}>
        {words.isHidden(capitalized(listText(members.map(columnName))), members.length)}
      </Heading>
      {members.length === 1 ? (
        [...byFlag.keys()].map((flag) => <p key={flag}>{words.notGranted(flagName(flag))}</p>)
      ) : (
        <>
          <ul>
            {[...byFlag].map(([flag, hidden]) => (
              <li key={flag}>{words.ofColumns(listText(hidden.map(columnName)), flagName(flag))}</li>
            ))}
          </ul>
          <p>{words.leftOut}</p>
        </>
      )}
      <p className="soft">
        <Timed
          at={[item.createdAt]}
          as={ExactTime}
          in={(when) =>
            words.granted(item.approver.name, when, listText(item.auditors.map(({ name }) => name)))
          }
        />
      </p>
      {holds(viewer.permissions, app, 'auditor', 'cases:create') && (
        <p>
          <Link
            to="/a/$app/requests/new"
            params={{ app }}
            search={scopeSearch(item, (flag) => item.disclosureFlags[flag] || byFlag.has(flag))}
          >
            {words.wider}
          </Link>
        </p>
      )}
    </Dialog>
  );
}
