/**
 * The findings of the checks, in French. The checks are the gateway's own and return English, as on the command line; `{}`
 * stands for a value, which is kept unchanged.
 */
const FRENCH: Readonly<Record<string, string>> = {
  // The activity log.
  'An export of {} entries.': 'Un export de {} entrées.',
  'Signed by {} for {} entries.': 'Signé par {} pour {} entrées.',
  'Whose key signed the checkpoint: compare it with the one your organization publishes (--key).':
    'À qui est la clé qui a signé le point de contrôle : comparez-la à celle que publie votre organisation (--key).',
  'That the log was never rewritten: keep checkpoints, and compare (--since).':
    'Que le journal n’a jamais été réécrit : gardez des points de contrôle, et comparez (--since).',
  'What the entries say that the export does not have, and that a partial export is complete.':
    'Ce que disent les entrées que l’export n’a pas, et qu’un export partiel est complet.',
  'That actions were logged as they happened: a log shows that what it says was not changed since.':
    'Que les actions ont été journalisées telles qu’elles ont eu lieu : un journal montre que ce qu’il dit n’a pas changé depuis.',
  'The verifier key is malformed.': 'La clé de vérification est mal formée.',
  'The log is signed by another key than the expected one.':
    'Le journal est signé par une autre clé que celle attendue.',
  'The expected verifier key is malformed.': 'La clé de vérification attendue est mal formée.',
  'The expected verifier key is malformed: it is a name, the id of the key, and base64 of 33 bytes. Copy the whole key again.':
    'La clé de vérification attendue est mal formée : c’est un nom, l’identifiant de la clé, et 33 octets en base64. Copiez de nouveau la clé entière.',
  'The expected verifier key is that of another organization than the log. Give the key of this one, or get the log of the other.':
    'La clé de vérification attendue est celle d’une autre organisation que le journal. Donnez la clé de celle-ci, ou procurez-vous le journal de l’autre.',
  'The expected verifier key is that of another organization than the receipt.':
    'La clé de vérification attendue est celle d’une autre organisation que le reçu.',
  'The log is signed by other keys than the expected one, and none of their changes leads from it.':
    'Le journal est signé par d’autres clés que celle attendue, et aucun de leurs changements n’en part.',
  'The file names one key that signed the log.': 'Le fichier nomme une clé qui a signé le journal.',
  'That no change of keys and no declaration of a compromised key was left out of the file: a whole export has them all.':
    'Qu’aucun changement de clés ni aucune déclaration de clé compromise n’a été omis du fichier : un export entier les a tous.',
  '{} keys signed the log one after the other, each named by the one before.':
    '{} clés ont signé le journal l’une après l’autre, chacune nommée par la précédente.',
  '{} keys signed the log one after the other, each named by the one before; {} declared compromised.':
    '{} clés ont signé le journal l’une après l’autre, chacune nommée par la précédente ; {} déclarées compromises.',
  '{} keys signed the log one after the other. The chain is broken: {} declared lost named no successor; {} declared compromised.':
    '{} clés ont signé le journal l’une après l’autre. La chaîne est rompue : {} déclarées perdues n’ont pas nommé la suivante ; {} déclarées compromises.',
  'Signed by key {} of the {} that the file of keys names. Their chain is broken: a key that was declared lost named no successor.':
    'Signé par la clé {} sur les {} que nomme le fichier des clés. Leur chaîne est rompue : une clé déclarée perdue n’a pas nommé la suivante.',
  'The chain of keys is broken after the expected one: entry {} says that its key was lost, which anyone could have written. Get the key of today from your organization itself, and pass that one.':
    'La chaîne des clés est rompue après celle attendue : l’entrée {} dit que sa clé a été perdue, ce que n’importe qui aurait pu écrire. Obtenez la clé d’aujourd’hui de votre organisation elle-même, et passez celle-là.',
  'Entry {} says that the key of the older checkpoint, or one after it, was lost, which anyone could have written. Get the key of today from your organization itself, and pass it as well (--key).':
    'L’entrée {} dit que la clé du point de contrôle plus ancien, ou l’une des suivantes, a été perdue, ce que n’importe qui aurait pu écrire. Obtenez la clé d’aujourd’hui de votre organisation elle-même, et donnez-la aussi (--key).',
  'Entry {} says that the key that this browser remembers, or one after it, was lost, which anyone could have written. Compare the key of today with the one your organization publishes.':
    'L’entrée {} dit que la clé que ce navigateur a retenue, ou l’une des suivantes, a été perdue, ce que n’importe qui aurait pu écrire. Comparez la clé d’aujourd’hui à celle que publie votre organisation.',
  'That the key after entry {} is your organization’s: the key before was declared lost, and did not name it. Compare the key of today with the one your organization publishes.':
    'Que la clé qui suit l’entrée {} est celle de votre organisation : la clé d’avant a été déclarée perdue, et ne l’a pas nommée. Comparez la clé d’aujourd’hui à celle que publie votre organisation.',
  'The loss in entry {} is not signed by the new key. Do not trust that key, and ask your organization.':
    'La perte dans l’entrée {} n’est pas signée par la nouvelle clé. Ne vous fiez pas à cette clé, et demandez à votre organisation.',
  'An available disclosure; its result was deleted on {}.':
    'Une divulgation disponible ; son résultat a été supprimé le {}.',
  'The result says that it was deleted, but still has a part of what was disclosed.':
    'Le résultat dit qu’il a été supprimé, mais a encore une partie de ce qui a été divulgué.',
  'What was disclosed, and the purpose and the scope: the receipt has salted digests of them, and the salt was deleted with the result.':
    'Ce qui a été divulgué, l’objet et la portée : le reçu en a des empreintes salées, et le sel a été supprimé avec le résultat.',
  'That the result was deleted, and when: the gateway says so, and the receipt does not.':
    'Que le résultat a été supprimé, et quand : la passerelle le dit, et non le reçu.',
  'Entry {} changes the keys of the log, and the file leaves it out of its changes. Export the log again.':
    'L’entrée {} change les clés du journal, et le fichier ne la compte pas parmi ses changements. Exportez de nouveau le journal.',
  'That the expected key named its successor itself: it is declared compromised from index {} on, and was replaced by entry {}. Compare the key of today with the one your organization publishes.':
    'Que la clé attendue a nommé elle-même celle qui la remplace : elle est déclarée compromise à partir du rang {}, et a été remplacée par l’entrée {}. Comparez la clé d’aujourd’hui à celle que publie votre organisation.',
  'That a key after the expected one named its successor itself: it is declared compromised from index {} on, and was replaced by entry {}. Compare the key of today with the one your organization publishes.':
    'Que l’une des clés qui suivent la clé attendue a nommé elle-même celle qui la remplace : elle est déclarée compromise à partir du rang {}, et a été remplacée par l’entrée {}. Comparez la clé d’aujourd’hui à celle que publie votre organisation.',
  'The changes of keys are not in the order of the log. Export the log again.':
    'Les changements de clés ne sont pas dans l’ordre du journal. Exportez de nouveau le journal.',
  'The changes of keys lead to another key than the one that signed the checkpoint. Export the log again.':
    'Les changements de clés mènent à une autre clé que celle qui a signé le point de contrôle. Exportez de nouveau le journal.',
  'Entry {} is not a change of the keys of this log. Export the log again; if that does not help, keep the file and ask your organization.':
    'L’entrée {} n’est pas un changement des clés de ce journal. Exportez de nouveau le journal ; si cela n’aide pas, gardez le fichier et demandez à votre organisation.',
  'Entry {} names a malformed verifier key. A key of this log has the log’s name and 32 bytes. Do not trust it, and ask your organization.':
    'L’entrée {} nomme une clé de vérification mal formée : une clé de ce journal porte son nom et a 32 octets. Ne vous y fiez pas, et demandez à votre organisation.',
  'Entries {} and {} name two successors of the same key. Keep the file, and ask your organization which key is its own.':
    'Les entrées {} et {} nomment deux clés qui remplacent la même. Gardez le fichier, et demandez à votre organisation laquelle est la sienne.',
  'Entry {} replaces another key than the last one: a change of keys is missing. Export the log again.':
    'L’entrée {} remplace une autre clé que la dernière : il manque un changement de clés. Exportez de nouveau le journal.',
  'Entry {} goes back to a key that was replaced. Do not trust it, and ask your organization.':
    'L’entrée {} revient à une clé qui a été remplacée. Ne vous y fiez pas, et demandez à votre organisation.',
  'The rotation in entry {} is not signed by the key that it replaces and by the new one. Do not trust the new key, and ask your organization.':
    'Le remplacement dans l’entrée {} n’est pas signé par la clé remplacée et par la nouvelle. Ne vous fiez pas à la nouvelle clé, et demandez à votre organisation.',
  'Entry {} declares a key compromised that the log has not replaced. A change of keys is missing: export the log again.':
    'L’entrée {} déclare compromise une clé que le journal n’a pas remplacée. Il manque un changement de clés : exportez de nouveau le journal.',
  'The compromise in entry {} is not signed by the key that was in use. Do not trust it, and ask your organization.':
    'La compromission dans l’entrée {} n’est pas signée par la clé alors en usage. Ne vous y fiez pas, et demandez à votre organisation.',
  'The change of keys in entry {} is not in the log: its proof does not lead to the checkpoint. Do not trust its key, and ask your organization.':
    'Le changement de clés de l’entrée {} n’est pas dans le journal : sa preuve ne mène pas au point de contrôle. Ne vous fiez pas à sa clé, et demandez à votre organisation.',
  'A checkpoint of {} entries is signed only by a key that was declared compromised from index {} on. Use one of at most {} entries, or one that a later key signed.':
    'Un point de contrôle de {} entrées n’est signé que par une clé déclarée compromise à partir du rang {}. Prenez-en un d’au plus {} entrées, ou un qu’une clé suivante a signé.',
  'The verifier key is named after another log than the file.':
    'La clé de vérification porte le nom d’un autre journal que le fichier.',
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
  'The value of entry {} at {} is not the one that was logged.':
    'La valeur de l’entrée {} à {} n’est pas celle qui a été journalisée.',
  '{} personal values are the ones that were logged.':
    '{} valeurs personnelles sont celles qui ont été journalisées.',
  'The proof of entry {} is not base64.': 'La preuve de l’entrée {} n’est pas en base64.',
  'Entry {} is not the one that was logged there: its proof does not lead to the checkpoint.':
    'L’entrée {} n’est pas celle qui a été journalisée là : sa preuve ne mène pas au point de contrôle.',
  '{} entries are in the signed tree, each at its index.':
    '{} entrées sont dans l’arbre signé, chacune à son rang.',
  'All {} entries of the log are here.': 'Les {} entrées du journal sont toutes ici.',
  '{} of {} entries are here: the others were left out.':
    '{} entrées sur {} sont ici : les autres ont été omises.',
  '{} of {} entries are here: the export covers a part of the log, or the others were left out.':
    '{} entrées sur {} sont ici : l’export couvre une partie du journal, ou les autres ont été omises.',
  'The older checkpoint is malformed, or not signed by the key of this log.':
    'L’ancien point de contrôle est mal formé, ou n’est pas signé par la clé de ce journal.',
  'The log had {} entries before and has {} now: it was cut off.':
    'Le journal avait {} entrées et en a {} maintenant : il a été tronqué.',
  'This needs the first {} entries of the log, and the file does not have them all.':
    'Il faut les {} premières entrées du journal, et le fichier ne les a pas toutes.',
  'The first {} entries are not those of the older checkpoint: the history was forked.':
    'Les {} premières entrées ne sont pas celles de l’ancien point de contrôle : l’histoire a bifurqué.',
  'The log continues the older checkpoint of {} entries.':
    'Le journal continue l’ancien point de contrôle de {} entrées.',
  'The changes of keys in the file are malformed. Get the file again.':
    'Les changements de clés du fichier sont mal formés. Procurez-vous de nouveau le fichier.',
  'The file has two members with the same name, or is nested too deeply: programs would read different things in it.':
    'Le fichier a deux membres du même nom, ou trop de niveaux : des programmes y liraient des choses différentes.',
  'This is not a whole export of an activity log.':
    'Ceci n’est pas un export entier d’un journal d’activité.',

  // The keys that sign receipts.
  'The checkpoint in the file of keys is malformed, or not signed by its verifier key. Export the log again.':
    'Le point de contrôle du fichier des clés est mal formé, ou n’est pas signé par sa clé de vérification. Exportez de nouveau le journal.',
  'The file of keys belongs to the log {}, not to the log of the receipt’s organization.':
    'Le fichier des clés est celui du journal {}, et non celui du journal de l’organisation du reçu.',
  'The receipt is signed by none of the keys in the file of keys. If the receipt is newer, get a newer file.':
    'Le reçu n’est signé par aucune des clés du fichier des clés. Si le reçu est plus récent, procurez-vous un fichier plus récent.',
  'The key of the receipt is declared compromised from index {} on, and the file of keys has no earlier entry of this receipt. Trust the receipt only with an export of the log that has such an entry.':
    'La clé du reçu est déclarée compromise à partir du rang {}, et le fichier des clés n’a pas d’entrée antérieure de ce reçu. Ne vous fiez au reçu qu’avec un export du journal qui a une telle entrée.',
  'Signed by the key that the file of keys names.': 'Signé par la clé que nomme le fichier des clés.',
  'Signed by key {} of the {} that the file of keys names, each named by the one before.':
    'Signé par la clé {} sur les {} que nomme le fichier des clés, chacune nommée par la précédente.',
  'That no declaration of a compromised key was left out of the file of keys: get it from the organization itself.':
    'Qu’aucune déclaration de clé compromise n’a été omise du fichier des clés : obtenez-le de l’organisation elle-même.',
  'Signed by a key that is declared compromised from index {} on, when the log already had the receipt at index {}.':
    'Signé par une clé déclarée compromise à partir du rang {}, alors que le journal avait déjà le reçu au rang {}.',
  'The file of keys is neither an export of the activity log nor a checkpoint with its changes of keys. Pass one of the two.':
    'Le fichier des clés n’est ni un export du journal d’activité, ni un point de contrôle avec ses changements de clés. Passez l’un des deux.',
  'Changes of keys after the {} entries that the file of keys covers.':
    'Les changements de clés après les {} entrées que couvre le fichier des clés.',

  // Disclosures.
  'An available disclosure; records: {}.': 'Une divulgation disponible ; enregistrements : {}.',
  'Whose key signed the receipt: compare its verifier key with the one your organization publishes.':
    'À qui est la clé qui a signé le reçu : comparez sa clé de vérification à celle que publie votre organisation.',
  'Whether this key was declared compromised: also pass the file of keys (--keys).':
    'Si cette clé a été déclarée compromise : donnez aussi le fichier des clés (--keys).',
  'That the ciphertexts are those of the transactions on the ledger: compare them with the instructions.':
    'Que les chiffrés sont ceux des transactions du registre : comparez-les aux instructions.',
  'That the auditor key was the mint’s at the time: compare it with the mint account and its updates.':
    'Que la clé d’auditeur était alors celle du mint : comparez-la au compte du mint et à ses changements.',
  'The decimals of the asset: the gateway says them, and the proofs are of amounts in base units.':
    'Les décimales de l’actif : la passerelle les dit, et les preuves portent sur des montants en unités de base.',
  'Amounts marked `public`, and everything that is not proven: they stand on the ledger in the clear.':
    'Les montants marqués `public`, et tout ce qui n’est pas prouvé : ils sont en clair sur le registre.',
  'The disclosure’s externalReference, decidedBy and decisionReason: the receipt does not state them.':
    'Les membres externalReference, decidedBy et decisionReason de la divulgation : le reçu ne les énonce pas.',
  'That the scope’s records are all that the ledger has: the receipt states what the gateway had indexed.':
    'Que le registre n’a pas d’autres enregistrements de cette portée : le reçu énonce ce que la passerelle avait indexé.',
  'This is not a disclosure: a JSON object with `scope` and `result`.':
    'Ceci n’est pas une divulgation : un objet JSON avec `scope` et `result`.',
  'The disclosure has no result: its status is {}.': 'La divulgation n’a pas de résultat : son état est {}.',
  'The disclosure has no `scope` or no `result`.': 'La divulgation n’a pas de `scope` ou pas de `result`.',
  'The disclosure has a result, but its status is {}.': 'La divulgation a un résultat, mais son état est {}.',
  'The result has no list of `records`.': 'Le résultat n’a pas de liste `records`.',
  'The result has no `salt` of 16 bytes in base64.': 'Le résultat n’a pas de `salt` de 16 octets en base64.',
  'The result has no `receipt`.': 'Le résultat n’a pas de `receipt`.',
  'The receipt must have `body`, `signature` and `verifierKey`.':
    'Le reçu doit avoir `body`, `signature` et `verifierKey`.',
  'A disclosure has no member {}, and nothing proves it.':
    'Une divulgation n’a pas de membre {} : rien ne le prouve.',
  'The receipt is signed by another key than the expected one. If your organization changed its key, also pass the file of keys (--keys).':
    'Le reçu est signé par une autre clé que celle attendue. Si votre organisation a changé de clé, donnez aussi le fichier des clés (--keys).',
  'The signature of the receipt does not verify under its verifier key.':
    'La signature du reçu ne se vérifie pas avec sa clé de vérification.',
  'The verifier key has the name of another organization than the receipt.':
    'La clé de vérification porte le nom d’une autre organisation que le reçu.',
  'Signed by {}.': 'Signé par {}.',
  'The receipt states another value than the file for {}.':
    'Le reçu énonce une autre valeur que le fichier pour {}.',
  'It states disclosure {} of {}.': 'Il énonce la divulgation {} du {}.',
  'The scope does not match the receipt.': 'La portée ne correspond pas au reçu.',
  'The scope matches the receipt.': 'La portée correspond au reçu.',
  'The result does not match the receipt.': 'Le résultat ne correspond pas au reçu.',
  'Records, content and proofs match the receipt.':
    'Les enregistrements, le contenu et les preuves correspondent au reçu.',
  'The result has no format or no content.': 'Le résultat n’a pas de format ou pas de contenu.',
  'The result is in another format than requested.':
    'Le résultat est dans un autre format que celui demandé.',
  'The content does not match the records.': 'Le contenu ne correspond pas aux enregistrements.',
  'The {} content matches the records.': 'Le contenu {} correspond aux enregistrements.',
  'The proof scheme is not {}.': 'Le procédé de preuve n’est pas {}.',
  'Amounts: {} proven, {} in the clear on the ledger, {} not decryptable.':
    'Montants : {} prouvés, {} en clair sur le registre, {} indéchiffrables.',
  '{} discloses {}, which the scope does not ask for.': '{} divulgue {}, que la portée ne demande pas.',
  '{} has a fee, which no proof can show.': '{} a des frais, qu’aucune preuve ne peut montrer.',
  '{} has a proof but no amount.': '{} a une preuve mais pas de montant.',
  'The amount of {} is not proven by its ciphertext and key.':
    'Le montant de {} n’est pas prouvé par son chiffré et sa clé.',

  // Receipts of relays.
  'The file of a relay has no member {}, and nothing proves it.':
    'Le fichier d’un relais n’a pas de membre {} : rien ne le prouve.',
  'The receipt belongs to another relay than the file says.':
    'Le reçu est celui d’un autre relais que ne le dit le fichier.',
  'This is not the receipt of a relay: a JSON object with `body`, `signature` and `verifierKey`.':
    'Ceci n’est pas le reçu d’un relais : un objet JSON avec `body`, `signature` et `verifierKey`.',
  'Which package the receipt belongs to: add the package to the file.':
    'À quel paquet le reçu appartient : ajoutez le paquet au fichier.',
  'Members of the package that no relayer reads: {}.': 'Les membres du paquet qu’aucun relayeur ne lit : {}.',
  'That the ledger has the transaction: ask your own provider for its finalized status.':
    'Que le registre a la transaction : demandez son état finalisé à votre propre fournisseur.',
  'The verifier key does not belong to the organization that the receipt names.':
    'La clé de vérification n’est pas celle de l’organisation que le reçu nomme.',
  'The signature of the receipt does not verify under its key.':
    'La signature du reçu ne se vérifie pas avec sa clé.',
  'The receipt is not the receipt of a relay.': 'Le reçu n’est pas celui d’un relais.',
  'The receipt does not say which provider said what.': 'Le reçu ne dit pas quel fournisseur a dit quoi.',
  'The receipt has no text in {}.': 'Le reçu n’a pas de texte dans {}.',
  'The receipt belongs to another package.': 'Le reçu est celui d’un autre paquet.',
  'The receipt belongs to the package with the SHA-256 {}.':
    'Le reçu est celui du paquet dont le SHA-256 est {}.',

  // What this browser compares itself.
  'The decimals and the symbol of the asset, which the gateway says: what was checked is {} base units.':
    'Les décimales et le symbole de l’actif, que dit la passerelle : ce qui a été vérifié est {} unités de base.',
  'That your organization changed its key itself: the key that this browser remembered named the new one. Compare it with the one your organization publishes.':
    'Que votre organisation a changé sa clé elle-même : la clé que ce navigateur avait retenue a nommé la nouvelle. Comparez-la à celle que publie votre organisation.',
  'Signed by a key that was declared compromised from index {} of the activity log on: trust the receipt only if the log has its entry before that index.':
    'Signé par une clé déclarée compromise à partir du rang {} du journal d’activité : ne croyez le reçu que si le journal a son entrée avant.',
  'The SHA-256 of what is shown is the one that was given.':
    'Le SHA-256 de ce qui est affiché est celui qui a été donné.',
  'The SHA-256 of what is shown is another one than was given.':
    'Le SHA-256 de ce qui est affiché est un autre que celui qui a été donné.',
  'The checkpoint is not signed by the key of the log.':
    'Le point de contrôle n’est pas signé par la clé du journal.',
  'This is the log {}, not that of your organization.':
    'Ceci est le journal {}, et non celui de votre organisation.',
  'The log is signed by another key than the one that this browser remembers.':
    'Le journal est signé par une autre clé que celle que ce navigateur a retenue.',
  'The checkpoint that this browser remembers is malformed.':
    'Le point de contrôle que ce navigateur a retenu est mal formé.',
  'The log has {} entries now, and had {} when this browser saw it before.':
    'Le journal a {} entrées maintenant, et en avait {} quand ce navigateur l’a vu auparavant.',
  'The log does not continue the {} entries that this browser saw before: its history was rewritten.':
    'Le journal ne continue pas les {} entrées que ce navigateur a déjà vues : son histoire a été réécrite.',
  'Continues the {} entries that this browser saw before.':
    'Continue les {} entrées que ce navigateur a déjà vues.',
  'Whether the key of the receipt is that of the activity log: this browser sees that key for the first time.':
    'Si la clé du reçu est celle du journal d’activité : ce navigateur voit cette clé pour la première fois.',
  'Whether the log was rewritten before: this browser sees it for the first time.':
    'Si le journal a été réécrit auparavant : ce navigateur le voit pour la première fois.',
  'What is shown is entry {} of the signed log, and its names are the logged ones.':
    'Ce qui est affiché est l’entrée {} du journal signé, et ses noms sont ceux qui ont été journalisés.',
  'The id of the entry: it is no part of what is logged.':
    'L’identifiant de l’entrée : il ne fait pas partie de ce qui est journalisé.',
  'What is shown of entry {} is not what was logged.':
    'Ce qui est affiché de l’entrée {} n’est pas ce qui a été journalisé.',
  'The amount is the decryption of this ciphertext under this auditor key.':
    'Le montant est le déchiffrement de ce chiffré sous cette clé d’auditeur.',
  'That the ciphertext is that of the transaction: compare it with the instruction on the ledger.':
    'Que le chiffré est celui de la transaction : comparez-le à l’instruction sur le registre.',
  'That the ciphertext is that of transaction {}: compare it with the instruction on the ledger.':
    'Que le chiffré est celui de la transaction {} : comparez-le à l’instruction sur le registre.',
  'The file of one amount: {} in base units.': 'Le fichier d’un montant : {} en unités de base.',
  'This is not the file of an amount: a JSON object with `amount`, `networkTransactionId` and `proof`, and nothing else.':
    'Ceci n’est pas le fichier d’un montant : un objet JSON avec `amount`, `networkTransactionId` et `proof`, et rien d’autre.',
  'That the auditor key is that of the mint: compare it with the mint on the ledger. Here it is {}.':
    'Que la clé d’auditeur est celle du mint : comparez-la au mint sur le registre. Ici, c’est {}.',
  'The proof does not show that the amount is the decryption of the ciphertext.':
    'La preuve ne montre pas que le montant est le déchiffrement du chiffré.',
  'Signed by the key of the activity log that this browser remembers.':
    'Signé par la clé du journal d’activité que ce navigateur a retenue.',
  'Signed by another key than that of the activity log that this browser remembers.':
    'Signé par une autre clé que celle du journal d’activité que ce navigateur a retenue.',
  'The evidence that is shown is the one that the receipt states.':
    'Les éléments affichés sont ceux que le reçu énonce.',
  'The evidence that is shown is not the one that the receipt states.':
    'Les éléments affichés ne sont pas ceux que le reçu énonce.',
  'The file has the SHA-256 that you gave.': 'Le fichier a le SHA-256 que vous avez donné.',
  'The file has another SHA-256 than you gave: {}.':
    'Le fichier a un autre SHA-256 que celui que vous avez donné : {}.',
  'The file has the SHA-256 that the gateway gives.': 'Le fichier a le SHA-256 que donne la passerelle.',
  'The file has another SHA-256 than the gateway gives: {}.':
    'Le fichier a un autre SHA-256 que celui que donne la passerelle : {}.',
  'The file has the hash that the entry of the log holds.':
    'Le fichier a l’empreinte que garde l’entrée du journal.',
  'The file has another hash than the entry of the log holds.':
    'Le fichier a une autre empreinte que celle que garde l’entrée du journal.',
  'That the content of the file is correct: its hash shows only that it is the file that was made.':
    'Que ce qui est dans le fichier est juste : son empreinte dit seulement que c’est le fichier qui a été créé.',
  'This is none of the files that can be checked alone. Its SHA-256 is {}: compare it with the one that the activity log holds for a report.':
    'Ceci n’est aucun des fichiers qui se vérifient seuls. Son SHA-256 est {} : comparez-le à celui que le journal d’activité garde pour un rapport.',
};

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const PATTERNS = Object.entries(FRENCH).map(([english, french]) => ({
  pattern: new RegExp(`^${english.split('{}').map(escaped).join('(.+?)')}$`, 'su'),
  parts: french.split('{}'),
}));

/** `rly_… succeeded at …, transaction …. By providers: … said ….` */
const RELAY_END = /^(rly_\S+) (\w+)( \(\w+\))? at (\S+?)(, transaction \w+)?\.(?: By providers: (.+)\.)?$/su;

/** The sentence in French; unchanged if it is not one of the checks' sentences. */
export function inFrench(sentence: string): string {
  // The exact sentence first: a pattern could take it for another one's.
  const exact = FRENCH[sentence];
  if (exact !== undefined) return exact;
  for (const { pattern, parts } of PATTERNS) {
    const found = pattern.exec(sentence);
    if (found) return parts.map((part, index) => `${part}${found[index + 1] ?? ''}`).join('');
  }
  const [, id, status, why = '', at, by = '', sayings] = RELAY_END.exec(sentence) ?? [];
  if (id === undefined) return sentence;
  const told = sayings
    ?.replaceAll(' said ', ' dit ')
    .replaceAll(' and was left out (', ' et n’a pas été compté (');
  return `${id} ${status}${why}, ${at}${by}.${told === undefined ? '' : ` Selon les fournisseurs : ${told}.`}`;
}
