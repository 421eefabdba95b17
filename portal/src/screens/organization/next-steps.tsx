import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { holdsOwner } from '../../app/places.ts';
import { useViewer } from '../../app/session';
import { texts } from '../../texts.ts';

const words = texts(
  {
    title: (name: string) => `“${name}” is created. What comes next:`,
    assets: 'Register an asset, or open one, and assign it',
    assetsText: 'Cases and disclosures are about the transactions of its assets.',
    people: 'Grant people permissions in it',
    peopleText:
      'Administrators decide, and auditors request cases. Until then it has no place in the navigation.',
    addresses: 'List the addresses that it deals with',
    addressesText: 'Its backend checks addresses with the id for address checks, without an API key.',
    keys: 'Create an API key for its backend',
    keysText:
      'The scopes say what the key allows, such as transactions:read. A key works for all applications of the organization.',
    reference: 'Read the API reference',
    referenceText: 'Every REST route with its scopes and examples, served by this gateway.',
  },
  {
    fr: {
      title: (name: string) => `« ${name} » est créée. La suite :`,
      assets: 'Enregistrer un actif, ou en ouvrir un, et le lui attribuer',
      assetsText: 'Les dossiers et les divulgations portent sur les transactions de ses actifs.',
      people: 'Y accorder des autorisations',
      peopleText:
        'Les administrateurs statuent, les auditeurs demandent des dossiers. D’ici là, elle n’a pas de place dans la navigation.',
      addresses: 'Donner la liste des adresses admises',
      addressesText: 'Son service contrôle des adresses par l’identifiant de contrôle, sans clé d’API.',
      keys: 'Créer une clé d’API pour son service',
      keysText:
        'Les portées disent ce que la clé permet, par exemple transactions:read. Une clé vaut pour toutes les applications de l’organisation.',
      reference: 'Lire la référence de l’API',
      referenceText: 'Chaque route REST avec ses portées et des exemples, servie par cette passerelle.',
    },
  },
);

/** What a new application needs before anyone can work with it, as far as the viewer may do it. Takes the focus. */
export function NextSteps({ foreignId, name }: { readonly foreignId: string; readonly name: string }) {
  const { permissions } = useViewer();
  const heading = useRef<HTMLHeadingElement>(null);
  // The dialog gives the focus back to its button first.
  useEffect(() => {
    const timer = setTimeout(() => heading.current?.focus());
    return () => clearTimeout(timer);
  }, [foreignId]);
  return (
    <section className="card stack">
      <h2 ref={heading} tabIndex={-1}>
        {words.title(name)}
      </h2>
      <ol className="stack">
        {holdsOwner(permissions, 'applications:read') && (
          <li>
            <Link to="/organization/assets">{words.assets}</Link>
            <p className="soft">{words.assetsText}</p>
          </li>
        )}
        {holdsOwner(permissions, 'members:manage') && (
          <li>
            <Link to="/organization/people">{words.people}</Link>
            <p className="soft">{words.peopleText}</p>
          </li>
        )}
        {holdsOwner(permissions, 'addresses:manage') && (
          <li>
            <Link to="/a/$app/addresses" params={{ app: foreignId }}>
              {words.addresses}
            </Link>
            <p className="soft">{words.addressesText}</p>
          </li>
        )}
        {holdsOwner(permissions, 'api_keys:manage') && (
          <li>
            <Link to="/organization/keys">{words.keys}</Link>
            <p className="soft">{words.keysText}</p>
          </li>
        )}
        <li>
          <a href="/docs">{words.reference}</a>
          <p className="soft">{words.referenceText}</p>
        </li>
      </ol>
    </section>
  );
}
