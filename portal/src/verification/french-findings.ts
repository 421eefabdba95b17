/**
 * The findings of the checks, in French. The checks are the gateway's own and return English, as on the command line; `{}`
 * stands for a value, which is kept unchanged.
 */
const FRENCH: Readonly<Record<string, string>> = {
  // The activity log.
  'An export of {} entries.': 'Un export de {} entrées.',
  'Signed by {} for {} entries.': 'Signé par {} pour {} entrées.',
  'Who owns the key that signed the checkpoint. Compare it with the key that your organization publishes (--key).':
    'À qui appartient la clé qui a signé le point de contrôle. Comparez-la à celle que publie votre organisation (--key).',
  'That the log was never rewritten. Keep a checkpoint, and compare later exports with it (--since).':
    'Que le journal n’a jamais été réécrit. Gardez un point de contrôle, et comparez-y les exports suivants (--since).',
  'What the missing entries say, and that a partial export has all the entries that it should have.':
    'Ce que disent les entrées absentes, et qu’un export partiel a toutes les entrées qu’il devrait avoir.',
  'That actions were logged as they happened. The proofs only show that entries were not changed after they were logged.':
    'Que les actions ont été journalisées telles qu’elles ont eu lieu. Les preuves montrent seulement que les entrées n’ont pas changé depuis.',
  'The verifier key is malformed.': 'La clé de vérification est mal formée.',
  'The log is not signed by the expected key.': 'Le journal n’est pas signé par la clé attendue.',
  'The expected verifier key is malformed.': 'La clé de vérification attendue est mal formée.',
  'The expected verifier key is malformed. It must be a name, a key id, and 33 bytes in base64. Copy the whole key again.':
    'La clé de vérification attendue est mal formée. Elle doit être un nom, un identifiant de clé et 33 octets en base64. Copiez de nouveau la clé entière.',
  'The expected verifier key and the log belong to different organizations. Pass the key of the organization that owns the log.':
    'La clé de vérification attendue et le journal sont de deux organisations différentes. Donnez la clé de l’organisation du journal.',
  'The expected verifier key and the receipt belong to different organizations.':
    'La clé de vérification attendue et le reçu sont de deux organisations différentes.',
  'None of the keys that signed the log is the expected key.':
    'Aucune des clés qui ont signé le journal n’est la clé attendue.',
  'According to the file, one key signed the log.': 'Selon le fichier, une seule clé a signé le journal.',
  'That the file has all key changes and all declarations of compromised keys. A complete export of the log has them.':
    'Que le fichier a tous les changements de clé et toutes les déclarations de clé compromise. Un export complet du journal les a.',
  '{} keys signed the log in turn. Each key named the next one.':
    '{} clés ont signé le journal tour à tour. Chaque clé a nommé la suivante.',
  '{} keys signed the log in turn. Each key named the next one. Keys declared compromised: {}.':
    '{} clés ont signé le journal tour à tour. Chaque clé a nommé la suivante. Clés déclarées compromises : {}.',
  '{} keys signed the log in turn, but the chain is broken. Keys declared lost, which named no successor: {}. Keys declared compromised: {}.':
    '{} clés ont signé le journal tour à tour, mais la chaîne est rompue. Clés déclarées perdues, qui n’ont pas nommé la suivante : {}. Clés déclarées compromises : {}.',
  'Signed by key {} of {} in the key file. The chain of keys is broken: a key that was declared lost named no successor.':
    'Signé par la clé {} sur {} du fichier de clés. La chaîne des clés est rompue : une clé déclarée perdue n’a pas nommé la suivante.',
  'The chain of keys is broken after the expected key. Entry {} declares a key lost, and anyone could have written that entry. Get the current key from your organization itself, and pass that key.':
    'La chaîne des clés est rompue après la clé attendue. L’entrée {} déclare une clé perdue, et n’importe qui aurait pu écrire cette entrée. Obtenez la clé actuelle de votre organisation elle-même, et donnez cette clé.',
  'Entry {} declares that the key of the older checkpoint, or a later key, was lost. Anyone could have written that entry. Get the current key from your organization itself, and pass it too (--key).':
    'L’entrée {} déclare que la clé du point de contrôle plus ancien, ou une clé suivante, a été perdue. N’importe qui aurait pu écrire cette entrée. Obtenez la clé actuelle de votre organisation elle-même, et donnez-la aussi (--key).',
  'Entry {} declares that the key that this browser remembers, or a later key, was lost. Anyone could have written that entry. Compare the current key with the one your organization publishes.':
    'L’entrée {} déclare que la clé que ce navigateur a retenue, ou une clé suivante, a été perdue. N’importe qui aurait pu écrire cette entrée. Comparez la clé actuelle à celle que publie votre organisation.',
  'That the key used after entry {} belongs to your organization. The key before it was declared lost and did not name it. Compare the current key with the one your organization publishes.':
    'Que la clé utilisée après l’entrée {} est celle de votre organisation. La clé d’avant a été déclarée perdue et ne l’a pas nommée. Comparez la clé actuelle à celle que publie votre organisation.',
  'The declaration of loss in entry {} is not signed by the new key. Do not trust that key, and ask your organization.':
    'La déclaration de perte de l’entrée {} n’est pas signée par la nouvelle clé. Ne vous fiez pas à cette clé, et demandez à votre organisation.',
  'The disclosure is available. Its result was deleted on {}.':
    'La divulgation est disponible. Son résultat a été supprimé le {}.',
  'The result is marked as deleted, but still has a part of what was disclosed.':
    'Le résultat est marqué comme supprimé, mais a encore une partie de ce qui a été divulgué.',
  'What was disclosed, the purpose, and the scope. The receipt has salted digests of them, and the salt was deleted with the result.':
    'Ce qui a été divulgué, l’objet et la portée. Le reçu en a des empreintes salées, et le sel a été supprimé avec le résultat.',
  'That the result was deleted, and when. The gateway states this, but the receipt does not.':
    'Que le résultat a été supprimé, et quand. La passerelle l’indique, mais pas le reçu.',
  'Entry {} changes the keys of the log, but the file does not list it as a key change. Export the log again.':
    'L’entrée {} change les clés du journal, mais le fichier ne la compte pas parmi les changements de clé. Exportez de nouveau le journal.',
  'That your organization chose the key after the expected key. The expected key is declared compromised as of index {}, and entry {} replaced it. Compare the current key with the one your organization publishes.':
    'Que votre organisation a choisi la clé qui suit la clé attendue. La clé attendue est déclarée compromise à partir du rang {}, et l’entrée {} l’a remplacée. Comparez la clé actuelle à celle que publie votre organisation.',
  'That your organization chose all keys after the expected key. A later key is declared compromised as of index {}, and entry {} replaced it. Compare the current key with the one your organization publishes.':
    'Que votre organisation a choisi toutes les clés qui suivent la clé attendue. Une clé suivante est déclarée compromise à partir du rang {}, et l’entrée {} l’a remplacée. Comparez la clé actuelle à celle que publie votre organisation.',
  'The key changes are not in the order of the log. Export the log again.':
    'Les changements de clé ne sont pas dans l’ordre du journal. Exportez de nouveau le journal.',
  'The key changes do not lead to the key that signed the checkpoint. Export the log again.':
    'Les changements de clé ne mènent pas à la clé qui a signé le point de contrôle. Exportez de nouveau le journal.',
  'Entry {} is not a key change of this log. Export the log again. If that does not help, keep the file and ask your organization.':
    'L’entrée {} n’est pas un changement de clé de ce journal. Exportez de nouveau le journal. Si cela n’aide pas, gardez le fichier et demandez à votre organisation.',
  'Entry {} names a malformed verifier key. A key of this log has the log’s name and 32 bytes. Do not trust it, and ask your organization.':
    'L’entrée {} nomme une clé de vérification mal formée : une clé de ce journal porte son nom et a 32 octets. Ne vous y fiez pas, et demandez à votre organisation.',
  'Entries {} and {} name two successors of the same key. Keep the file, and ask your organization which key is its own.':
    'Les entrées {} et {} nomment deux clés qui remplacent la même. Gardez le fichier, et demandez à votre organisation laquelle est la sienne.',
  'Entry {} does not replace the last key: a key change is missing. Export the log again.':
    'L’entrée {} ne remplace pas la dernière clé : il manque un changement de clé. Exportez de nouveau le journal.',
  'Entry {} returns to a key that was already replaced. Do not trust it, and ask your organization.':
    'L’entrée {} revient à une clé déjà remplacée. Ne vous y fiez pas, et demandez à votre organisation.',
  'The rotation in entry {} is not signed by both the old key and the new key. Do not trust the new key, and ask your organization.':
    'Le remplacement de l’entrée {} n’est pas signé à la fois par l’ancienne clé et par la nouvelle. Ne vous fiez pas à la nouvelle clé, et demandez à votre organisation.',
  'Entry {} declares a key compromised that the log has not replaced: a key change is missing. Export the log again.':
    'L’entrée {} déclare compromise une clé que le journal n’a pas remplacée : il manque un changement de clé. Exportez de nouveau le journal.',
  'The declaration of compromise in entry {} is not signed by the key that was in use. Do not trust it, and ask your organization.':
    'La déclaration de compromission de l’entrée {} n’est pas signée par la clé alors en usage. Ne vous y fiez pas, et demandez à votre organisation.',
  'The key change in entry {} is not in the log: its proof does not match the checkpoint. Do not trust its key, and ask your organization.':
    'Le changement de clé de l’entrée {} n’est pas dans le journal : sa preuve ne correspond pas au point de contrôle. Ne vous fiez pas à sa clé, et demandez à votre organisation.',
  'The only key that signed the checkpoint of {} entries is declared compromised as of index {}. Use a checkpoint of at most {} entries, or one that a later key signed.':
    'La seule clé qui a signé le point de contrôle de {} entrées est déclarée compromise à partir du rang {}. Prenez un point de contrôle d’au plus {} entrées, ou un qu’une clé suivante a signé.',
  'The verifier key names a different log than the file.':
    'La clé de vérification nomme un autre journal que le fichier.',
  'The checkpoint is malformed, or not signed by the verifier key.':
    'Le point de contrôle est mal formé, ou n’est pas signé par la clé de vérification.',
  'Entry {} is not in the log: the checkpoint covers {} entries.':
    'L’entrée {} n’est pas dans le journal : le point de contrôle en couvre {}.',
  'Entry {} appears twice.': 'L’entrée {} apparaît deux fois.',
  'Entry {} follows entry {}: entries are out of order.':
    'L’entrée {} suit l’entrée {} : les entrées ne sont pas dans l’ordre.',
  'The entries are in the order of the log, and none appears twice.':
    'Les entrées sont dans l’ordre du journal, et aucune n’apparaît deux fois.',
  'Entry {} has no digest at {}.': 'L’entrée {} n’a pas d’empreinte à {}.',
  'The salt of entry {} at {} is malformed.': 'Le sel de l’entrée {} à {} est mal formé.',
  'The salt of entry {} at {} must have {} bytes.': 'Le sel de l’entrée {} à {} doit avoir {} octets.',
  'The value of entry {} at {} is not Unicode text.':
    'La valeur de l’entrée {} à {} n’est pas du texte Unicode.',
  'The value of entry {} at {} is not the one that was logged.':
    'La valeur de l’entrée {} à {} n’est pas celle qui a été journalisée.',
  '{} personal values match the digests that were logged.':
    '{} valeurs personnelles correspondent aux empreintes journalisées.',
  'The proof of entry {} is not base64.': 'La preuve de l’entrée {} n’est pas en base64.',
  'Entry {} is not the entry that was logged at this index: its proof does not match the checkpoint.':
    'L’entrée {} n’est pas celle qui a été journalisée à ce rang : sa preuve ne correspond pas au point de contrôle.',
  '{} entries are in the signed tree, each at its index.':
    '{} entrées sont dans l’arbre signé, chacune à son rang.',
  'The file has all {} entries of the log.': 'Le fichier a toutes les {} entrées du journal.',
  'The file has {} of {} entries. The others were left out.':
    'Le fichier a {} entrées sur {}. Les autres ont été omises.',
  'The file has {} of {} entries. It covers a part of the log, or entries were left out.':
    'Le fichier a {} entrées sur {}. Il couvre une partie du journal, ou des entrées ont été omises.',
  'The older checkpoint is malformed, or not signed by the key of this log.':
    'L’ancien point de contrôle est mal formé, ou n’est pas signé par la clé de ce journal.',
  'The log had {} entries before and has {} now: entries at its end were removed.':
    'Le journal avait {} entrées et en a {} maintenant : des entrées ont été retirées à la fin.',
  'This check needs the first {} entries of the log, and the file does not have all of them.':
    'Cette vérification a besoin des {} premières entrées du journal, et le fichier ne les a pas toutes.',
  'The first {} entries are not those of the older checkpoint: the history of the log was changed.':
    'Les {} premières entrées ne sont pas celles de l’ancien point de contrôle : l’histoire du journal a été modifiée.',
  'The log continues the older checkpoint of {} entries.':
    'Le journal continue l’ancien point de contrôle de {} entrées.',
  'The key changes in the file are malformed. Get the file again.':
    'Les changements de clé du fichier sont mal formés. Procurez-vous de nouveau le fichier.',
  'The file is ambiguous JSON: it has two members with the same name, or is nested too deeply.':
    'Le fichier est un JSON ambigu : il a deux membres du même nom, ou trop de niveaux.',
  'This is not a complete export of an activity log.':
    'Ceci n’est pas un export complet d’un journal d’activité.',

  // The keys that sign receipts.
  'The checkpoint in the key file is malformed, or not signed by its verifier key. Export the log again.':
    'Le point de contrôle du fichier de clés est mal formé, ou n’est pas signé par sa clé de vérification. Exportez de nouveau le journal.',
  'The key file belongs to the log {}, not to the log of the organization that the receipt names.':
    'Le fichier de clés est celui du journal {}, et non celui du journal de l’organisation que le reçu nomme.',
  'None of the keys in the key file signed the receipt. If the receipt is newer than the key file, get a newer key file.':
    'Aucune des clés du fichier de clés n’a signé le reçu. Si le reçu est plus récent que le fichier de clés, procurez-vous un fichier plus récent.',
  'The key of the receipt is declared compromised as of index {}, and the key file has no earlier entry of this receipt. Trust the receipt only if an export of the log has such an entry.':
    'La clé du reçu est déclarée compromise à partir du rang {}, et le fichier de clés n’a pas d’entrée antérieure de ce reçu. Ne vous fiez au reçu que si un export du journal a une telle entrée.',
  'Signed by the key in the key file.': 'Signé par la clé du fichier de clés.',
  'Signed by key {} of {} in the key file. Each key named the next one.':
    'Signé par la clé {} sur {} du fichier de clés. Chaque clé a nommé la suivante.',
  'That the key file has all declarations of compromised keys. Get the file from the organization itself.':
    'Que le fichier de clés a toutes les déclarations de clé compromise. Obtenez le fichier de l’organisation elle-même.',
  'Signed by a key that is declared compromised as of index {}. The receipt was logged before that, at index {}.':
    'Signé par une clé déclarée compromise à partir du rang {}. Le reçu a été journalisé avant, au rang {}.',
  'The key file must be an export of the activity log, or a checkpoint with its key changes.':
    'Le fichier de clés doit être un export du journal d’activité, ou un point de contrôle avec ses changements de clé.',
  'Key changes after the {} entries that the key file covers.':
    'Les changements de clé après les {} entrées que couvre le fichier de clés.',

  // Disclosures.
  'The disclosure is available. Records: {}.': 'La divulgation est disponible. Enregistrements : {}.',
  'Who owns the key that signed the receipt. Compare its verifier key with the one your organization publishes.':
    'À qui appartient la clé qui a signé le reçu. Comparez sa clé de vérification à celle que publie votre organisation.',
  'Whether this key was declared compromised. Also pass the key file (--keys).':
    'Si cette clé a été déclarée compromise. Donnez aussi le fichier de clés (--keys).',
  'That the ciphertexts are those of the transactions. Compare them with the instructions on the ledger.':
    'Que les chiffrés sont ceux des transactions. Comparez-les aux instructions sur le registre.',
  'That the auditor key was the key of the mint at that time. Compare it with the mint account and its updates.':
    'Que la clé d’auditeur était alors celle du mint. Comparez-la au compte du mint et à ses changements.',
  'The decimals of the asset. The gateway states them, and the proofs only cover amounts in base units.':
    'Les décimales de l’actif. La passerelle les indique, et les preuves ne portent que sur des montants en unités de base.',
  'Amounts marked “public”, and everything else that has no proof. Compare them with the ledger, where they are not encrypted.':
    'Les montants marqués « public », et tout ce qui n’a pas de preuve. Comparez-les au registre, où ils ne sont pas chiffrés.',
  'The reference of the requester, and who decided the disclosure and why. The receipt does not state them.':
    'La référence du demandeur, et qui a décidé la divulgation et pourquoi. Le reçu ne les énonce pas.',
  'That the ledger has no other records in this scope. The receipt states what the gateway had indexed.':
    'Que le registre n’a pas d’autres enregistrements de cette portée. Le reçu énonce ce que la passerelle avait indexé.',
  'This is not a disclosure. A disclosure is a JSON object with `scope` and `result`.':
    'Ceci n’est pas une divulgation. Une divulgation est un objet JSON avec `scope` et `result`.',
  'The disclosure has no result: its status is {}.': 'La divulgation n’a pas de résultat : son état est {}.',
  'The disclosure has no `scope` or no `result`.': 'La divulgation n’a pas de `scope` ou pas de `result`.',
  'The disclosure has a result, but its status is {}.': 'La divulgation a un résultat, mais son état est {}.',
  'The result has no list of `records`.': 'Le résultat n’a pas de liste `records`.',
  'The result has no `salt` of 16 bytes in base64.': 'Le résultat n’a pas de `salt` de 16 octets en base64.',
  'The result has no `receipt`.': 'Le résultat n’a pas de `receipt`.',
  'The receipt must have `body`, `signature` and `verifierKey`.':
    'Le reçu doit avoir `body`, `signature` et `verifierKey`.',
  'The member {} does not belong in a disclosure, and nothing proves it.':
    'Le membre {} n’a pas sa place dans une divulgation, et rien ne le prouve.',
  'The receipt is not signed by the expected key. If your organization changed its key, also pass the key file (--keys).':
    'Le reçu n’est pas signé par la clé attendue. Si votre organisation a changé de clé, donnez aussi le fichier de clés (--keys).',
  'The signature of the receipt is not valid for its verifier key.':
    'La signature du reçu n’est pas valide pour sa clé de vérification.',
  'The verifier key names a different organization than the receipt.':
    'La clé de vérification nomme une autre organisation que le reçu.',
  'Signed by {}.': 'Signé par {}.',
  'The receipt and the file have different values for {}.':
    'Le reçu et le fichier ont des valeurs différentes pour {}.',
  'The receipt states disclosure {}, generated at {}.': 'Le reçu énonce la divulgation {}, créée le {}.',
  'The scope does not match the receipt.': 'La portée ne correspond pas au reçu.',
  'The scope matches the receipt.': 'La portée correspond au reçu.',
  'The result does not match the receipt.': 'Le résultat ne correspond pas au reçu.',
  'Records, content and proofs match the receipt.':
    'Les enregistrements, le contenu et les preuves correspondent au reçu.',
  'The result has no format or no content.': 'Le résultat n’a pas de format ou pas de contenu.',
  'The format of the result is not the requested format.': 'Le format du résultat n’est pas celui demandé.',
  'The content does not match the records.': 'Le contenu ne correspond pas aux enregistrements.',
  'The {} content matches the records.': 'Le contenu {} correspond aux enregistrements.',
  'The proof scheme is not {}.': 'Le procédé de preuve n’est pas {}.',
  'Amounts: {} proven, {} public on the ledger, {} not decryptable.':
    'Montants : {} prouvés, {} publics sur le registre, {} indéchiffrables.',
  '{} discloses {}, which the scope does not include.': '{} divulgue {}, que la portée ne contient pas.',
  '{} has a fee, but a fee cannot be proven.': '{} a des frais, mais des frais ne peuvent pas être prouvés.',
  '{} has a proof but no amount.': '{} a une preuve mais pas de montant.',
  'The amount of {} is not proven by its ciphertext and key.':
    'Le montant de {} n’est pas prouvé par son chiffré et sa clé.',

  // Receipts of relays.
  'The member {} does not belong in the file of a relay, and nothing proves it.':
    'Le membre {} n’a pas sa place dans le fichier d’un relais, et rien ne le prouve.',
  'The receipt and the file name different relays.': 'Le reçu et le fichier nomment des relais différents.',
  'This is not the receipt of a relay. A receipt is a JSON object with `body`, `signature` and `verifierKey`.':
    'Ceci n’est pas le reçu d’un relais. Un reçu est un objet JSON avec `body`, `signature` et `verifierKey`.',
  'Which package the receipt belongs to. Add the package to the file.':
    'À quel paquet le reçu appartient. Ajoutez le paquet au fichier.',
  'Members of the package that no relayer reads: {}.': 'Les membres du paquet qu’aucun relayeur ne lit : {}.',
  'That the ledger has the transaction. Ask your own provider for its finalized status.':
    'Que le registre a la transaction. Demandez son état finalisé à votre propre fournisseur.',
  'The verifier key does not belong to the organization that the receipt names.':
    'La clé de vérification n’est pas celle de l’organisation que le reçu nomme.',
  'The signature of the receipt is not valid for its key.':
    'La signature du reçu n’est pas valide pour sa clé.',
  'The receipt is not the receipt of a relay.': 'Le reçu n’est pas celui d’un relais.',
  'The receipt does not list what each provider stated.':
    'Le reçu n’énonce pas ce que chaque fournisseur a déclaré.',
  'The member {} of the receipt must be a string.': 'Le membre {} du reçu doit être une chaîne.',
  'The receipt belongs to another package.': 'Le reçu est celui d’un autre paquet.',
  'The receipt belongs to the package with the SHA-256 {}.':
    'Le reçu est celui du paquet dont le SHA-256 est {}.',

  // What this browser compares itself.
  'The decimals and the symbol of the asset. The gateway states them, and the proof only covers {} base units.':
    'Les décimales et le symbole de l’actif. La passerelle les indique, et la preuve ne porte que sur {} unités de base.',
  'That your organization changed its key itself. The key that this browser remembered named the new key. Compare the new key with the one your organization publishes.':
    'Que votre organisation a changé sa clé elle-même. La clé que ce navigateur avait retenue a nommé la nouvelle. Comparez la nouvelle clé à celle que publie votre organisation.',
  'Signed by a key that is declared compromised as of index {} of the activity log. Trust the receipt only if the log has its entry before that index.':
    'Signé par une clé déclarée compromise à partir du rang {} du journal d’activité. Ne vous fiez au reçu que si le journal a son entrée avant ce rang.',
  'The data on this page has the SHA-256 that was stated.':
    'Les données de cette page ont le SHA-256 indiqué.',
  'The data on this page does not have the SHA-256 that was stated.':
    'Les données de cette page n’ont pas le SHA-256 indiqué.',
  'The checkpoint is not signed by the key of the log.':
    'Le point de contrôle n’est pas signé par la clé du journal.',
  'This is the log {}, not the log of your organization.':
    'Ceci est le journal {}, et non celui de votre organisation.',
  'The key that this browser remembers is not one of the keys of the log.':
    'La clé que ce navigateur a retenue n’est pas une des clés du journal.',
  'The checkpoint that this browser remembers is malformed.':
    'Le point de contrôle que ce navigateur a retenu est mal formé.',
  'The log has {} entries now, but had {} when this browser last saw it.':
    'Le journal a {} entrées maintenant, mais en avait {} quand ce navigateur l’a vu la dernière fois.',
  'The log does not continue the {} entries that this browser saw before: its history was rewritten.':
    'Le journal ne continue pas les {} entrées que ce navigateur a déjà vues : son histoire a été réécrite.',
  'Continues the {} entries that this browser saw before.':
    'Continue les {} entrées que ce navigateur a déjà vues.',
  'Whether the key of the receipt is the key of the activity log. This browser sees that key for the first time.':
    'Si la clé du reçu est celle du journal d’activité. Ce navigateur voit cette clé pour la première fois.',
  'Whether the log was rewritten before. This browser sees the log for the first time.':
    'Si le journal a été réécrit auparavant. Ce navigateur voit le journal pour la première fois.',
  'This page shows entry {} of the signed log, with the names that were logged.':
    'Cette page montre l’entrée {} du journal signé, avec les noms qui ont été journalisés.',
  'The id of the entry. The log does not contain it.':
    'L’identifiant de l’entrée. Le journal ne le contient pas.',
  'What this page shows of entry {} is not what was logged.':
    'Cette page ne montre pas l’entrée {} telle qu’elle a été journalisée.',
  'The amount is the decryption of this ciphertext under this auditor key.':
    'Le montant est le déchiffrement de ce chiffré sous cette clé d’auditeur.',
  'That the ciphertext is that of the transaction. Compare it with the instruction on the ledger.':
    'Que le chiffré est celui de la transaction. Comparez-le à l’instruction sur le registre.',
  'That the ciphertext is that of transaction {}. Compare it with the instruction on the ledger.':
    'Que le chiffré est celui de la transaction {}. Comparez-le à l’instruction sur le registre.',
  'The file states one amount: {} base units.': 'Le fichier énonce un montant : {} unités de base.',
  'This is not an amount file. An amount file is a JSON object with `amount`, `networkTransactionId` and `proof`, and no other members.':
    'Ceci n’est pas un fichier de montant. Un fichier de montant est un objet JSON avec `amount`, `networkTransactionId` et `proof`, et rien d’autre.',
  'That the auditor key {} is the key of the mint. Compare it with the mint on the ledger.':
    'Que la clé d’auditeur {} est celle du mint. Comparez-la au mint sur le registre.',
  'The proof does not show that the amount is the decryption of the ciphertext.':
    'La preuve ne montre pas que le montant est le déchiffrement du chiffré.',
  'Signed by the key of the activity log that this browser remembers.':
    'Signé par la clé du journal d’activité que ce navigateur a retenue.',
  'Not signed by a key of the activity log that this browser remembers.':
    'Signé par aucune clé du journal d’activité que ce navigateur a retenu.',
  'The evidence on this page matches the receipt.': 'Les éléments de cette page correspondent au reçu.',
  'The evidence on this page does not match the receipt.':
    'Les éléments de cette page ne correspondent pas au reçu.',
  'The file has the SHA-256 that you entered.': 'Le fichier a le SHA-256 que vous avez saisi.',
  'The file does not have the SHA-256 that you entered. Its SHA-256 is {}.':
    'Le fichier n’a pas le SHA-256 que vous avez saisi. Son SHA-256 est {}.',
  'The file has the SHA-256 that the gateway states.': 'Le fichier a le SHA-256 que la passerelle indique.',
  'The file does not have the SHA-256 that the gateway states. Its SHA-256 is {}.':
    'Le fichier n’a pas le SHA-256 que la passerelle indique. Son SHA-256 est {}.',
  'Entry {} of the signed log records this report.': 'L’entrée {} du journal signé consigne ce rapport.',
  'Entry {} of the signed log does not record this report.':
    'L’entrée {} du journal signé ne consigne pas ce rapport.',
  'What else this page shows of the report. Its entry has what was logged.':
    'Ce que cette page montre d’autre du rapport. Son entrée a ce qui a été journalisé.',
  'This page shows the SHA-256 in the log entry.': 'Cette page montre le SHA-256 de l’entrée du journal.',
  'The SHA-256 that this page shows cannot be compared with the one in the log entry: the gateway returned no salt.':
    'Le SHA-256 que montre cette page ne peut pas être comparé à celui de l’entrée du journal : la passerelle n’a pas donné de sel.',
  'The SHA-256 that this page shows is not the one in the log entry.':
    'Le SHA-256 que montre cette page n’est pas celui de l’entrée du journal.',
  'The file has the hash in the log entry.': 'Le fichier a l’empreinte de l’entrée du journal.',
  'The file does not have the hash in the log entry.':
    'Le fichier n’a pas l’empreinte de l’entrée du journal.',
  'That the content of the file is correct. Its hash only shows that it is the file that was generated.':
    'Que le contenu du fichier est juste. Son empreinte montre seulement que c’est le fichier qui a été créé.',
  'The file has more than 512 MiB, which this page does not read. Verify it with the command: npx lucarne log verify FILE.':
    'Le fichier fait plus de 512 Mio, ce que cette page ne lit pas. Vérifiez-le avec la commande : npx lucarne log verify FICHIER.',
  'This browser cannot read the file: it was moved, changed or deleted after it was chosen, or you may not read it. Choose it again.':
    'Ce navigateur ne peut pas lire le fichier : il a été déplacé, modifié ou supprimé après avoir été choisi, ou vous n’avez pas le droit de le lire. Choisissez-le de nouveau.',
  'This file cannot be verified alone. Its SHA-256 is {}. If it is a report, compare it with the SHA-256 in the list of reports. “Check a file” there also compares it with the log.':
    'Ce fichier ne peut pas être vérifié seul. Son SHA-256 est {}. Si c’est un rapport, comparez-le au SHA-256 de la liste des rapports. « Vérifier un fichier » dans cette liste le compare aussi au journal.',
};

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const PATTERNS = Object.entries(FRENCH).map(([english, french]) => ({
  pattern: new RegExp(`^${english.split('{}').map(escaped).join('(.+?)')}$`, 'su'),
  parts: french.split('{}'),
}));

/** `rly_… succeeded at …, transaction …. Statements of providers: …: …; …: … (not counted: …).` */
const RELAY_END =
  /^(rly_\S+) (\w+)( \(\w+\))? at (\S+?)(, transaction \w+)?\.(?: Statements of providers: (.+)\.)?$/su;

/** The sentence in French; unchanged if it is not one of the checks' sentences. */
export function inFrench(sentence: string): string {
  // The exact sentence first: a pattern could take it for another one's.
  const exact = FRENCH[sentence];
  if (exact !== undefined) return exact;
  for (const { pattern, parts } of PATTERNS) {
    const found = pattern.exec(sentence);
    if (found) return parts.map((part, index) => `${part}${found[index + 1] ?? ''}`).join('');
  }
  const [, id, status, why = '', at, by = '', statements] = RELAY_END.exec(sentence) ?? [];
  if (id === undefined) return sentence;
  const stated = statements?.replaceAll(' (not counted: ', ' (non compté: ').replaceAll(': ', ' : ');
  return `${id} ${status}${why}, ${at}${by}.${stated === undefined ? '' : ` Déclarations des fournisseurs : ${stated}.`}`;
}
