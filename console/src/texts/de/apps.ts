import type { Texts } from '../en/index.ts';

export const apps: Texts['apps'] = {
  title: 'Meta-Apps',
  intro:
    'Apps neben der von UPSTREAM_APP_ID. Jede hat ihr eigenes Geheimnis, Prüf-Token und ihre eigene Webhook-Adresse.',
  create: 'Neue App',
  change: 'Ändern',
  changeSecret: 'Geheimnis ändern',
  id: 'App-ID',
  name: 'Name',
  secret: 'App-Geheimnis',
  secondSecret: 'Zweites Geheimnis',
  secondSecretHint:
    'Nur während eines Wechsels. Das erste Geheimnis belegt Aufrufe; Webhooks dürfen mit beiden signiert sein.',
  verifyToken: 'Prüf-Token',
  verifyTokenHint: 'Mindestens 16 Zeichen. Die Plattform legt es vor, wenn sie die Webhook-Adresse prüft.',
  verifyTokenKept: 'Mindestens 16 Zeichen. Ist es leer, bleibt das jetzige.',
  rotate:
    'Zum Wechsel tragen Sie zuerst das neue und als zweites das jetzige Geheimnis ein, ändern es bei der Plattform und tragen dann das neue allein ein.',
  rotateWithProof:
    'Die App belegt ihre Aufrufe mit dem ersten Geheimnis. Tragen Sie zuerst das jetzige und als zweites das neue ein, ändern Sie es bei der Plattform und tragen Sie sofort das neue als erstes ein. Später tragen Sie das neue allein ein.',
  proof: 'Beleg des Geheimnisses',
  proofTitle: 'Beleg',
  proofHint: 'An, wenn die App bei der Plattform „Require App Secret“ eingeschaltet hat.',
  required: 'verlangt',
  notRequired: 'nicht verlangt',
  signup: 'Anmelde-Konfiguration',
  signupTitle: 'Anmeldung',
  signupHint: 'ID der Konfiguration von Facebook Login for Business. Einrichtungslinks brauchen sie.',
  noSignup: 'keine',
  secrets: 'Geheimnisse',
  one: 'eines',
  rotation: 'zwei: ein Wechsel',
  changed: 'geändert',
  address: 'Webhook-Adresse',
  delete: 'Löschen',
  deleteAsk: (name) => `Webhooks von ${name} werden ab jetzt abgelehnt. Das lässt sich nicht rückgängig machen.`,
  empty: 'Keine weiteren Apps',
  emptyWhy: 'Ein Gateway braucht weitere Apps nur, wenn seine Organisationen ihre Konten mit mehreren Apps teilen.',
  ofEnvironment: (id) => `Die App von UPSTREAM_APP_ID ist ${id}. Sie wird in den Einstellungen des Prozesses geändert.`,
  noDefault: 'UPSTREAM_APP_ID ist nicht gesetzt.',
};
