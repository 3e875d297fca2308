#!/usr/bin/env bash
# pywa 4.4.0: the status `failed` never reaches a handler, and `wait_until_failed` runs into its timeout, because the platform's webhook of that
# status has no `contacts`. pywa raises KeyError inside its server, logs "Failed to construct update" and answers 200, so no retry helps.
# Expected by a user: a handler of `on_message_status` hears `failed` as it hears `delivered`. Exits 1 if that is so.
# PYTHON names an interpreter that has pywa already; without it, pywa is installed into a temporary environment.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
if [ -z "${PYTHON:-}" ]; then
  python3 -m venv "$dir/venv"
  "$dir/venv/bin/pip" install --quiet pywa==4.4.0
  PYTHON="$dir/venv/bin/python"
fi
cat > "$dir/hear.py" <<'PY'
import json, logging, sys
import pywa
from pywa import WhatsApp

logging.disable(logging.CRITICAL)
heard = []
wa = WhatsApp(phone_id='106', token='x', server=None, verify_token='v', validate_updates=False)
wa.add_handlers(pywa.handlers.MessageStatusHandler(lambda _, status: heard.append(status.status.value)))

def post(status, **members):
    value = {
        'messaging_product': 'whatsapp',
        'metadata': {'display_phone_number': '15550001111', 'phone_number_id': '106'},
        **members,
        'statuses': [{'id': f'wamid.{status}', 'status': status, 'timestamp': '1790000000', 'recipient_id': '15551230001',
                      **({'errors': [{'code': 131026, 'title': 'Message undeliverable', 'message': 'Message undeliverable'}]} if status == 'failed' else {})}],
    }
    payload = {'object': 'whatsapp_business_account', 'entry': [{'id': '102', 'changes': [{'value': value, 'field': 'messages'}]}]}
    return wa.webhook_update_handler(update=json.dumps(payload).encode())

contacts = [{'profile': {'name': 'Ada'}, 'wa_id': '15551230001', 'user_id': 'US.1'}]
answers = [post('delivered', contacts=contacts), post('failed'), post('failed', contacts=contacts)]
print('pywa', pywa.__version__, 'heard', heard, 'answered', answers)
# As the platform posts them, `delivered` is heard and `failed` is not; with a contact added, `failed` is heard.
sys.exit(0 if heard == ['delivered', 'failed'] else 1)
PY
"$PYTHON" -W ignore "$dir/hear.py"
