// Generated from the OpenAPI file of the gateway by `npm run generate`. Do not edit.

export interface paths {
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the process lives
         * @description Answers 200 as long as the process runs. For a load balancer's liveness check.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the process accepts sends
         * @description Answers 200 if the process has started and reaches its database, otherwise 503. For a load balancer's readiness check.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metrics in the text format of Prometheus, or OpenMetrics if that is asked for
         * @description The operations guide explains each metric and lists the ones to watch. Needs the role `support`.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the caller's own name and role
         * @description Tests a token, and names the operator that it belongs to. Needs the role `support`.
         */
        get: operations["whoAmI"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/operators": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List operators
         * @description Newest first, revoked operators included. The holder of ADMIN_TOKEN is not listed. Needs the role `admin`.
         */
        get: operations["listOperators"];
        put?: never;
        /**
         * Create an operator
         * @description The answer has the token; no later answer does. Needs the role `admin`.
         */
        post: operations["createOperator"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/operators/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an operator
         * @description Returns name, role and times of one operator. Needs the role `admin`.
         */
        get: operations["getOperator"];
        put?: never;
        post?: never;
        /**
         * Revoke an operator
         * @description Cannot be undone. Every node refuses the tokens and ends the sessions within a second. A person who signs in by the identity provider is refused there, too. A repeated call changes nothing. Needs the role `admin`.
         */
        delete: operations["revokeOperator"];
        options?: never;
        head?: never;
        /**
         * Change the name, role or expiry of an operator
         * @description Takes effect on every node within a second. A revoked operator cannot be changed. The expiry is the only member that can be changed of a person who signs in by the identity provider. Needs the role `admin`.
         */
        patch: operations["updateOperator"];
        trace?: never;
    };
    "/admin/v1/operators/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give an operator a new token
         * @description The present token works until the overlap ends. A token from before an earlier rotation stops at once. Needs the role `admin`.
         */
        post: operations["rotateOperatorToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the Meta apps
         * @description The further apps, oldest first, and the id of the app of the environment. Needs the role `support`.
         */
        get: operations["listApps"];
        put?: never;
        /**
         * Add a Meta app
         * @description Adds an app beside the one of `UPSTREAM_APP_ID`. Set its webhook address at the platform to `/webhooks/upstream/{app_id}` of this gateway. At most 100 apps. Needs the role `admin`.
         */
        post: operations["createApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{app_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a Meta app
         * @description Returns one further app. Needs the role `support`.
         */
        get: operations["getApp"];
        put?: never;
        post?: never;
        /**
         * Delete a Meta app
         * @description From then on, its webhooks are refused on every node within a second. Needs the role `admin`.
         */
        delete: operations["deleteApp"];
        options?: never;
        head?: never;
        /**
         * Change a Meta app
         * @description Takes effect on every node within a second. To rotate a secret, set the new and the present one, change it at the platform, then set the new one alone. Needs the role `admin`.
         */
        patch: operations["updateApp"];
        trace?: never;
    };
    "/admin/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List changes of all organizations and of the deployment
         * @description Newest first. A change has a row before it is made and a second one with its result. Sends and uploads are not listed. Needs the role `admin`.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List changes of the organization
         * @description Newest first. A change has a row before it is made and a second one with its result. Sends and uploads are not listed. Changes by the gateway's operators show neither their names nor their addresses. Needs the scope `audit:read`. Refused to keys that are limited to numbers.
         */
        get: operations["listOwnAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/audit/verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check a chain of the audit log
         * @description Computes the digests of the whole chain again. With `sequence` and `digest`, also finds a chain that was written again as a whole. Without `organization_id`, checks the chain of the deployment. Needs the role `admin`.
         */
        get: operations["verifyAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the organization's chain of the audit log
         * @description Computes the digests of the whole chain again. With `sequence` and `digest`, also finds a chain that was written again as a whole. Needs the scope `audit:read`. Refused to keys that are limited to numbers.
         */
        get: operations["verifyOwnAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/organizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List organizations
         * @description Lists all organizations in pages, newest first. Needs the role `support`.
         */
        get: operations["listOrganizations"];
        put?: never;
        /**
         * Create an organization
         * @description Its plan is unlimited until `setPlan` changes it. A test organization has its business account and number at once: `listWabas` shows them. Needs the role `operator`.
         */
        post: operations["createOrganization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/organizations/{org_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an organization
         * @description Returns the name, settings and state of one organization. Needs the role `support`.
         */
        get: operations["getOrganization"];
        put?: never;
        post?: never;
        /**
         * Close an organization
         * @description Disables its API keys, disconnects its business accounts and disables its webhook endpoints. Usage and history stay until their retention ends. A repeated call closes anything left over or created since. Needs the role `admin`.
         */
        delete: operations["closeOrganization"];
        options?: never;
        head?: never;
        /**
         * Change an organization's name or settings
         * @description Changes the members that the body has. Takes effect on every node within a second. Needs the role `operator`.
         */
        patch: operations["updateOrganization"];
        trace?: never;
    };
    "/admin/v1/organizations/{org_id}/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an organization's plan
         * @description An organization without a plan of its own has the unlimited plan. Needs the role `support`.
         */
        get: operations["getPlan"];
        /**
         * Set an organization's plan
         * @description Takes effect on every node within a second. Needs the role `operator`.
         */
        put: operations["setPlan"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/organizations/{org_id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the usage of one month
         * @description Sums messages and their cost in one calendar month (UTC), in total or by groups. Needs the role `support`.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the usage of one month
         * @description Sums the messages of the organization and their cost in one calendar month (UTC), in total or by groups. Needs the scope `messages:read`. Refused to keys that are limited to numbers.
         */
        get: operations["getOwnUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/organizations/{org_id}/usage/days": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the usage of one month by day
         * @description Days are in UTC. A count is in the day on which it happened: the acceptance, the send, the report of a delivery or price. A month is that of the acceptance, so the days of a month may differ from its sum. Days are kept for 400 days; those before the update to this version are empty. Needs the role `support`.
         */
        get: operations["getUsageDays"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/organizations/{org_id}/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an organization's API keys
         * @description Newest first, disabled keys included. The keys themselves cannot be read again. Needs the role `support`.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Issue an API key
         * @description The answer has the key itself; no later answer does. Needs the role `operator`.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Disable an API key
         * @description Cannot be undone. Every node refuses the key within a second. A repeated call changes nothing. Needs the role `operator`.
         */
        delete: operations["disableApiKey"];
        options?: never;
        head?: never;
        /**
         * Change the name or limits of an API key
         * @description Takes effect on every node within a second. A disabled key cannot be changed. Needs the role `operator`.
         */
        patch: operations["updateApiKey"];
        trace?: never;
    };
    "/admin/v1/api-keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give an API key a new secret
         * @description Id, name, limits and usage stay. The present key works until the overlap ends. A key from before an earlier rotation stops at once. Needs the role `operator`.
         */
        post: operations["rotateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/organizations/{org_id}/rates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an organization's rates
         * @description Lists the prices of all rate cards, newest card first. A page has whole cards: at most 100, and no further one beyond 20000 rates. Needs the role `support`.
         */
        get: operations["listRates"];
        /**
         * Store an organization's rate card
         * @description Replaces the card of the same day. For each category the most specific price wins: the newest valid rate of the recipient's country, the newest for any country, the plan's price. Counts for messages accepted from then on, on every node within a second. Needs the role `operator`.
         */
        put: operations["setRates"];
        post?: never;
        /**
         * Delete the rate card of a day
         * @description Messages accepted before keep their prices. Needs the role `operator`.
         */
        delete: operations["deleteRates"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/organizations/{org_id}/wabas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an organization's business accounts
         * @description Each with its numbers as last read from the platform, and the reason for which their messages wait, if any. Needs the role `support`.
         */
        get: operations["listWabas"];
        put?: never;
        /**
         * Connect a business account
         * @description Subscribes to its webhooks, which ends an override that the app has set on the account. Reads its numbers and templates, stores its token, and reports anything that keeps the webhooks of a number away. A repeated call refreshes all of this and resumes numbers that were parked because of the old token. A number that has left another organization's business account at the platform moves to this one; the other organization loses it as by disconnecting. Needs the role `operator`.
         */
        post: operations["connectWaba"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/wabas/{waba_id}/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read a business account again
         * @description Updates numbers and templates from the platform, and resumes numbers that were parked after a refusal. Needs the role `operator`.
         */
        post: operations["syncWaba"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/wabas/{waba_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Disconnect a business account
         * @description Within a second, its numbers accept and send nothing more on any node; waiting messages fail with `CANCELLED`. Deletes its token and templates, and unsubscribes from its webhooks if the platform answers within five seconds. Stored messages stay with the organization. Afterwards any organization can connect the account as for the first time. Needs the role `operator`.
         */
        delete: operations["disconnectWaba"];
        options?: never;
        head?: never;
        /**
         * Change the settings of a business account
         * @description Chooses where its marketing templates go, and the Meta app that its token belongs to. Takes effect on every node within a second. A message whose last attempt has an unknown outcome is not sent to the other edge: it fails as `UNKNOWN_OUTCOME`. Needs the role `operator`.
         */
        patch: operations["updateWaba"];
        trace?: never;
    };
    "/admin/v1/numbers/{phone_number_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the pace of a number, pause or resume it
         * @description Takes effect on every node within a second. Needs the role `operator`.
         */
        patch: operations["updateNumber"];
        trace?: never;
    };
    "/admin/v1/organizations/{org_id}/onboardings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an organization's onboardings
         * @description Newest first. Needs the role `support`.
         */
        get: operations["listOnboardings"];
        put?: never;
        /**
         * Begin the onboarding of an account
         * @description Goes from an access token, or the code of a sign-up, to a delivered message: checks the token, connects the account, subscribes the webhooks, registers the number, sends a test message. The steps run in the background; each can be repeated. Needs the role `operator`.
         */
        post: operations["beginOnboarding"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/organizations/{org_id}/onboardings/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an onboarding
         * @description Returns its steps as they are now. Needs the role `support`.
         */
        get: operations["getOnboarding"];
        put?: never;
        post?: never;
        /**
         * End an onboarding
         * @description Nothing more is called or sent. The account stays connected. Needs the role `operator`.
         */
        delete: operations["endOnboarding"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/organizations/{org_id}/onboardings/{id}/steps/{step}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Repeat a step of an onboarding
         * @description Repeats the step and all that follow it, with the values of the body in place of the earlier ones. A test message is sent again only if the last one failed, or if the body names its recipient or its template. Needs the role `operator`.
         */
        post: operations["repeatOnboardingStep"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/organizations/{org_id}/onboardings/{id}/pin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read the PIN of a registered number, once
         * @description Returns the PIN with which the number was registered, and forgets it. Needs the role `admin`.
         */
        post: operations["takeOnboardingPin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/organizations/{org_id}/setup-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the set-up links of an organization
         * @description Newest first, without their secrets. A link is forgotten some time after its end. Needs the role `support`.
         */
        get: operations["listSetupLinks"];
        put?: never;
        /**
         * Create a set-up link
         * @description The link opens a page on which a person of the organization shares a business account with the app, and follows the onboarding. Anybody who has the link can do this, until it expires or is revoked. Needs the role `operator`.
         */
        post: operations["createSetupLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/organizations/{org_id}/setup-links/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a set-up link
         * @description The link opens nothing any more. An onboarding that it began goes on. Needs the role `operator`.
         */
        delete: operations["revokeSetupLink"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/doctor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the deployment
         * @description Runs every check and answers one finding for each object. Asks the platform three times for each business account, at most for the 50 that were synced longest ago. Needs the role `support`.
         */
        get: operations["runDoctor"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/doctor/fixes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Repair what the doctor found
         * @description Runs the checks and repairs each fixable finding: subscribes the webhook fields of the app, subscribes business accounts, reads them again. Repeating it is safe. Needs the role `operator`.
         */
        post: operations["fixFindings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the waiting messages and the reasons
         * @description Counts the waiting messages of each number, with the pace of the number and the reason for the wait. Needs the role `support`.
         */
        get: operations["getQueue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/queue/next": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read whose message goes next
         * @description Lists the next messages in the order in which they go, node by node: organizations take turns by weight, their numbers equally, the flows of a number by class. The order supposes that every message is answered at once and no other arrives. A recipient appears once, because its next message waits for the answer to the one before. Looking changes no turn. Needs the role `support`.
         */
        get: operations["getNextMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the state of the whole gateway
         * @description Messages by minute of the last hour, the queue, the delivery of webhooks, the nodes, and the things that need a person. Made to be polled: all pollers of a node share one reading in 1.5 seconds. Needs the role `support`.
         */
        get: operations["getOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/upstream-journal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the platform's webhooks
         * @description Signed payloads as received, in the order of their storage. The gateway keeps them for `WEBHOOK_RETENTION_DAYS`, 14 by default. Needs the role `support`.
         */
        get: operations["listUpstreamPayloads"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/upstream-journal/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Apply a time range of payloads again
         * @description Runs in the background, oldest first. A payload that was applied before has no second effect and no second event. Leaves out payloads that are almost as old as the retention of messages (`MESSAGE_RETENTION_DAYS` less one day), because their messages would be received a second time. Needs the role `operator`.
         */
        post: operations["replayUpstreamPayloads"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{phoneNumberId}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Mark a message as read
         * @description With or without a typing indicator. It is sent to the platform directly, not queued. Needs the scope `messages:send`.
         */
        put: operations["markAsRead"];
        /**
         * Send a message
         * @description Accepts a message onto the send queue. Types other than `template` need an open 24-hour window; a template must be `APPROVED`. The header `Idempotency-Key`, 1 to 255 printable ASCII characters, makes a retry safe for 7 days: it answers with the original message. Any Graph version (`/v24.0`) in place of `/v1` works as well. This path also accepts the body of `markAsRead`. Needs the scope `messages:send`.
         */
        post: operations["sendMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{phoneNumberId}/marketing_messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a marketing template to the marketing product
         * @description Accepts a message onto the send queue as `sendMessage` does, and posts it to the platform's `/marketing_messages`, whatever the setting `marketing_messages` says. `sendMessage` chooses by that setting. Takes templates of the category MARKETING only. Needs the scope `messages:send`.
         */
        post: operations["sendMarketingMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List messages
         * @description Newest first, both directions. If few messages pass the filters, a page may be short or empty although more follow: continue while `next` is not null. Needs the scope `messages:read`.
         */
        get: operations["listMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a message and its status
         * @description Poll every few seconds at first, then back off. Stop at `read` or `failed`. Needs the scope `messages:read`.
         */
        get: operations["getMessage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages/{id}/body": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the body of a message byte for byte
         * @description The body as the gateway sends it to the platform: the bytes of your request, with the members that the gateway has completed, such as the template's language. For a message of a person, the platform's message object as it arrived. `{}` after an erasure, and once the organization's retention is over; with `keep_bodies: until_sent`, a sent message keeps its recipient alone. Needs the scope `messages:read`.
         */
        get: operations["getMessageBody"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{phoneNumberId}/windows/{person}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the 24-hour window of a person or a group
         * @description A person's messages and calls open the window, as does a call of yours that the person accepts. A message in a group opens the window of the group, not the member's own. Needs the scope `messages:read`.
         */
        get: operations["getWindow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/opt-outs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List opt-outs
         * @description People who want no marketing from a number, newest first. Needs the scope `opt-outs`.
         */
        get: operations["listOptOuts"];
        put?: never;
        /**
         * Opt a person out of marketing
         * @description Marketing templates from the number to the person are refused from now on, and waiting ones fail with `RECIPIENT_OPTED_OUT`. A repeated call changes nothing. Needs the scope `opt-outs`.
         */
        post: operations["addOptOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/opt-outs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End an opt-out
         * @description Marketing templates are accepted again. If the person has stopped marketing in WhatsApp, the platform still refuses them until the person resumes it. Needs the scope `opt-outs`.
         */
        delete: operations["removeOptOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read events in order, or wait for the next
         * @description Lists the events that webhooks deliver, for 30 days, in an order in which no event can appear before a place already read. Continue with `next` as `after`, also after an empty answer. Events of one message come in the order of their `sequence`. Their payloads in the format `standard` are described under `webhooks`. Needs the scope `events:read`.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages/{id}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the history of a message
         * @description Oldest first: its acceptance, repeated attempts with their reasons, the platform's answer, every status, statuses that contradict the final one, and the deliveries of its events to your endpoints (of a delivery replayed many times the last 36 attempts and its end). A queued message also shows the reason for its wait. Kept for 30 days. Needs the scope `messages:read`.
         */
        get: operations["getMessageTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel waiting messages
         * @description Cancels the waiting messages that match all members of the body. A message with an unknown outcome is not cancelled, because it may have been sent. Needs the scope `messages:send`. Refused to keys that are limited to numbers.
         */
        post: operations["cancelMessages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel one waiting message
         * @description A message that is being sent, or whose outcome is unknown, is not cancelled: the answer is 409. Needs the scope `messages:send`.
         */
        post: operations["cancelMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/people/{person}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Erase a person's data
         * @description Contents and identifiers of the person are removed from messages, events, deliveries, stored webhooks, windows and names, with all numbers of the organization. Waiting messages to the person are cancelled. Counts and prices stay. The person may be unknown. A message or status that comes later is stored as that of a stranger. Needs the scope `people`. Refused to keys that are limited to numbers.
         */
        delete: operations["erasePerson"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/erasures/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the receipt of an erasure
         * @description Shows if the erasure is done, and how much it has erased. Needs the scope `people`. Refused to keys that are limited to numbers.
         */
        get: operations["getErasure"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/people/{person}/data": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export a person's data
         * @description Everything that is stored about the person with all numbers of the organization, in pages of messages. Needs the scope `people`. Refused to keys that are limited to numbers.
         */
        get: operations["exportPerson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook endpoints
         * @description Lists the endpoints of the organization, newest first. Needs the scope `webhooks`. Refused to keys that are limited to numbers.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Register a webhook endpoint
         * @description It receives every event from now on that its filters let through. Needs the scope `webhooks`. Refused to keys that are limited to numbers.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook endpoint
         * @description Returns the endpoint with its filters and its health, without its secret. Needs the scope `webhooks`. Refused to keys that are limited to numbers.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook endpoint
         * @description Its waiting deliveries are dropped. Needs the scope `webhooks`. Refused to keys that are limited to numbers.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook endpoint
         * @description Changes the members that the body has. Events that wait already are delivered by the new settings. Needs the scope `webhooks`. Refused to keys that are limited to numbers.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/v1/webhooks/{id}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enable a webhook endpoint
         * @description Its waiting deliveries go out; those that failed before are tried at once. Needs the scope `webhooks`. Refused to keys that are limited to numbers.
         */
        post: operations["enableWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event to a webhook endpoint
         * @description Sends a `webhook.test` event to this endpoint alone, regardless of its filters; in the format `cloud_api` it is the status of a message that was never sent. The deliveries of the endpoint show the result. Needs the scope `webhooks`. Refused to keys that are limited to numbers.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a webhook endpoint a new secret
         * @description Both secrets sign during the overlap: `webhook-signature` has two signatures. In the format `cloud_api`, `X-Hub-Signature-256` keeps the old secret during the overlap, and `X-Hub-Signature-256-Next` has the new one. Another rotation within the overlap ends the older secret at once. Needs the scope `webhooks`. Refused to keys that are limited to numbers.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook endpoint
         * @description Waiting deliveries first, then settled ones, each newest first. A page may be short or empty although more follow: continue while `next` is not null. Needs the scope `webhooks`. Refused to keys that are limited to numbers.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver past events again
         * @description Delivers one event, a range of time, or all failed events again. The count of attempts starts again; the `webhook-id` stays the same. Needs the scope `webhooks`. Refused to keys that are limited to numbers.
         */
        post: operations["replayWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{appId}/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhook subscriptions of the client's app
         * @description Concerns endpoints of the organization alone: nothing is passed on, and the gateway's own webhooks stay as they are. Needs the scope `webhooks`. Refused to keys that are limited to numbers.
         */
        get: operations["listSubscriptions"];
        put?: never;
        /**
         * Subscribe the client's app to webhooks
         * @description Parameters come in the query, as JSON or as a form. The address gets `GET` with `hub.mode`, `hub.challenge` and `hub.verify_token` first and must answer with the challenge. Its endpoint has the format `cloud_api`; deliveries are signed with the API key of this request as app secret. Concerns endpoints of the organization alone: nothing is passed on, and the gateway's own webhooks stay as they are. Needs the scope `webhooks`. Refused to keys that are limited to numbers.
         */
        post: operations["subscribe"];
        /**
         * End the webhook subscription of the client's app
         * @description With `fields`, only these end. Concerns endpoints of the organization alone: nothing is passed on, and the gateway's own webhooks stay as they are. Needs the scope `webhooks`. Refused to keys that are limited to numbers.
         */
        delete: operations["unsubscribe"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{wabaId}/subscribed_apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the apps that the organization subscribed to a business account
         * @description Concerns endpoints of the organization alone: nothing is passed on, and the gateway's own webhooks stay as they are. Needs the scope `webhooks`. Refused to keys that are limited to numbers.
         */
        get: operations["listSubscribedApps"];
        put?: never;
        /**
         * Subscribe to the webhooks of a business account
         * @description With `override_callback_uri`, webhooks about its messages go to this address. Without it, an earlier such address ends. The address gets `GET` with `hub.mode`, `hub.challenge` and `hub.verify_token` first and must answer with the challenge. Its endpoint has the format `cloud_api`; deliveries are signed with the API key of this request as app secret. Concerns endpoints of the organization alone: nothing is passed on, and the gateway's own webhooks stay as they are. Needs the scope `webhooks`. Refused to keys that are limited to numbers.
         */
        post: operations["subscribeApp"];
        /**
         * End the subscription to a business account
         * @description Concerns endpoints of the organization alone: nothing is passed on, and the gateway's own webhooks stay as they are. Needs the scope `webhooks`. Refused to keys that are limited to numbers.
         */
        delete: operations["unsubscribeApp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{wabaId}/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a template
         * @description Checks the fields named here and leaves the rest to the platform. The body is forwarded as sent, byte for byte, except that sample URLs are replaced by handles and an inferred `parameter_format` is added. `GET /v1/templates/{id}` shows the result of the review. Needs the scope `templates:write`. Refused to keys that are limited to numbers.
         */
        post: operations["createTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{wabaId}/message_templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a business account's templates, as in the Cloud API
         * @description Pages, filters and fields as in the Cloud API. Needs the scope `templates:read`. Refused to keys that are limited to numbers.
         */
        get: operations["listMessageTemplates"];
        put?: never;
        /**
         * Create a template
         * @description Checks the fields named here and leaves the rest to the platform. The body is forwarded as sent, byte for byte, except that sample URLs are replaced by handles and an inferred `parameter_format` is added. `GET /v1/templates/{id}` shows the result of the review. Needs the scope `templates:write`. Refused to keys that are limited to numbers.
         */
        post: operations["createMessageTemplate"];
        /**
         * Delete templates, as in the Cloud API
         * @description The parameters may also be in a JSON body, together with the query or alone. Needs the scope `templates:write`. Refused to keys that are limited to numbers.
         */
        delete: operations["deleteMessageTemplates"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/templates/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a template
         * @description Returns the stored record, which follows the platform. Poll it for the result of the review. Needs the scope `templates:read`. Refused to keys that are limited to numbers.
         */
        get: operations["getTemplate"];
        put?: never;
        /**
         * Edit a template
         * @description Replaces the fields that the body names. The platform decides which fields can be changed, and reviews the template again. The body is forwarded as sent, except that sample URLs are replaced by handles. Needs the scope `templates:write`. Refused to keys that are limited to numbers.
         */
        post: operations["editTemplate"];
        /**
         * Delete a template in one language
         * @description Deletes this language version at the platform, and then here. Needs the scope `templates:write`. Refused to keys that are limited to numbers.
         */
        delete: operations["deleteTemplate"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List templates
         * @description The organization's templates, newest first. Needs the scope `templates:read`. Refused to keys that are limited to numbers.
         */
        get: operations["listTemplates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a number, a business account, a template, a media object, a flow or a group
         * @description As the Graph API shows it. Members of a number that the gateway does not keep, members of a business account, flows, groups and sign-ups are read at the platform. Any Graph version in place of `/v1` works as well. Needs the scope `number:read`. Refused to keys that are limited to numbers.
         */
        get: operations["getNode"];
        put?: never;
        /**
         * Edit a template, a flow, a group, a number or a business account
         * @description Replaces the fields that the body names. The platform decides which fields can be changed, and reviews the template again. The body is forwarded as sent, except that sample URLs are replaced by handles. Needs the scope `templates:write`. Refused to keys that are limited to numbers.
         */
        post: operations["editTemplateNode"];
        /**
         * Delete a file, a flow or a group
         * @description Deletes the file of a media id at the platform. Needs the scope `media`. Refused to keys that are limited to numbers.
         */
        delete: operations["deleteMedia"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/uploads/{uploadId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the progress of an upload
         * @description Passed on to the platform's `GET /{uploadId}`: `file_offset` is the number of bytes that it has. Needs the scope `templates:write`. Refused to keys that are limited to numbers.
         */
        get: operations["getUpload"];
        put?: never;
        /**
         * Send the bytes of an upload
         * @description Passed on to the platform's `POST /{uploadId}` with its header `file_offset`: the number of bytes that were sent before. The body is the file itself, up to 100 MiB, not a form. The answer has the handle `h` once the platform has all bytes. Needs the scope `templates:write`. Refused to keys that are limited to numbers.
         */
        post: operations["uploadPart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/media/upload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload a file
         * @description Uploads a file under a number. The id is good for about 30 days, for sends from that number only: as `image.id`, `video.id`, `audio.id`, `document.id` or `sticker.id`, or as the media of a template header. Fields may come in any order. Needs the scope `media`. Refused to keys that are limited to numbers.
         */
        post: operations["uploadMedia"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{phoneNumberId}/media": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload a file, as in the Cloud API
         * @description Same as `POST /v1/media/upload`. Any Graph version in place of `/v1` works as well. Needs the scope `media`.
         */
        post: operations["uploadMediaToNumber"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{appId}/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open an upload of a sample
         * @description Passed on to the platform's `POST /{appId}/uploads`; the answer is the platform's own. The upload is opened at the gateway's own app, whichever app the path names. Its handle is the sample of a template header (`example.header_handle`). Needs the scope `templates:write`. Refused to keys that are limited to numbers.
         */
        post: operations["openUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/media/{id}/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a file
         * @description The file of an upload or of received media, passed through from the platform. Needs the scope `media`. Refused to keys that are limited to numbers.
         */
        get: operations["downloadMedia"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{wabaId}/phone_numbers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the numbers of a business account
         * @description As the Graph API lists them, all on one page. With a member in `fields` that the gateway does not keep, the list is the platform's own. Needs the scope `number:read`. Refused to keys that are limited to numbers.
         */
        get: operations["listPhoneNumbers"];
        put?: never;
        /**
         * Add a number to a business account
         * @description Passed on to the platform's `POST /{wabaId}/phone_numbers`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`. Refused to keys that are limited to numbers.
         */
        post: operations["addPhoneNumber"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{phoneNumberId}/whatsapp_business_profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the business profile
         * @description Passed on to the platform's `GET /{phoneNumberId}/whatsapp_business_profile`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:read`.
         */
        get: operations["getBusinessProfile"];
        put?: never;
        /**
         * Change the business profile
         * @description Passed on to the platform's `POST /{phoneNumberId}/whatsapp_business_profile`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`.
         */
        post: operations["updateBusinessProfile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{phoneNumberId}/block_users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List blocked people
         * @description Passed on to the platform's `GET /{phoneNumberId}/block_users`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:read`.
         */
        get: operations["listBlockedUsers"];
        put?: never;
        /**
         * Block people
         * @description Passed on to the platform's `POST /{phoneNumberId}/block_users`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`.
         */
        post: operations["blockUsers"];
        /**
         * Unblock people
         * @description Passed on to the platform's `DELETE /{phoneNumberId}/block_users`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`.
         */
        delete: operations["unblockUsers"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{phoneNumberId}/message_qrdls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List QR codes and short links
         * @description Passed on to the platform's `GET /{phoneNumberId}/message_qrdls`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:read`.
         */
        get: operations["listQrCodes"];
        put?: never;
        /**
         * Create or change a QR code
         * @description Passed on to the platform's `POST /{phoneNumberId}/message_qrdls`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`.
         */
        post: operations["saveQrCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{phoneNumberId}/message_qrdls/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a QR code
         * @description Passed on to the platform's `GET /{phoneNumberId}/message_qrdls/{code}`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:read`.
         */
        get: operations["getQrCode"];
        put?: never;
        /**
         * Change a QR code
         * @description Passed on to the platform's `POST /{phoneNumberId}/message_qrdls/{code}`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`.
         */
        post: operations["changeQrCode"];
        /**
         * Delete a QR code
         * @description Passed on to the platform's `DELETE /{phoneNumberId}/message_qrdls/{code}`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`.
         */
        delete: operations["deleteQrCode"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{phoneNumberId}/username": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the number's user name
         * @description Passed on to the platform's `GET /{phoneNumberId}/username`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:read`.
         */
        get: operations["getUsername"];
        put?: never;
        /**
         * Ask for a user name
         * @description Passed on to the platform's `POST /{phoneNumberId}/username`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`.
         */
        post: operations["setUsername"];
        /**
         * Give up the user name
         * @description Passed on to the platform's `DELETE /{phoneNumberId}/username`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`.
         */
        delete: operations["deleteUsername"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{phoneNumberId}/username_suggestions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List suggested user names
         * @description Passed on to the platform's `GET /{phoneNumberId}/username_suggestions`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:read`.
         */
        get: operations["listUsernameSuggestions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{phoneNumberId}/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the settings of a number
         * @description Passed on to the platform's `GET /{phoneNumberId}/settings`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:read`.
         */
        get: operations["getNumberSettings"];
        put?: never;
        /**
         * Change calling and identity checks
         * @description Passed on to the platform's `POST /{phoneNumberId}/settings`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`.
         */
        post: operations["updateNumberSettings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{phoneNumberId}/whatsapp_business_encryption": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the public key of flows
         * @description Passed on to the platform's `GET /{phoneNumberId}/whatsapp_business_encryption`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:read`.
         */
        get: operations["getEncryptionKey"];
        put?: never;
        /**
         * Set the public key of flows
         * @description Passed on to the platform's `POST /{phoneNumberId}/whatsapp_business_encryption`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`.
         */
        post: operations["setEncryptionKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{phoneNumberId}/whatsapp_commerce_settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the commerce settings
         * @description Passed on to the platform's `GET /{phoneNumberId}/whatsapp_commerce_settings`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:read`.
         */
        get: operations["getCommerceSettings"];
        put?: never;
        /**
         * Change the commerce settings
         * @description Passed on to the platform's `POST /{phoneNumberId}/whatsapp_commerce_settings`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`.
         */
        post: operations["updateCommerceSettings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{phoneNumberId}/conversational_automation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read ice breakers and commands
         * @description Passed on to the platform's `GET /{phoneNumberId}/conversational_automation`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:read`.
         */
        get: operations["getConversationalAutomation"];
        put?: never;
        /**
         * Change ice breakers and commands
         * @description Passed on to the platform's `POST /{phoneNumberId}/conversational_automation`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`.
         */
        post: operations["updateConversationalAutomation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{phoneNumberId}/business_compliance_info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the compliance information
         * @description Passed on to the platform's `GET /{phoneNumberId}/business_compliance_info`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:read`.
         */
        get: operations["getComplianceInfo"];
        put?: never;
        /**
         * Change the compliance information
         * @description Passed on to the platform's `POST /{phoneNumberId}/business_compliance_info`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`.
         */
        post: operations["updateComplianceInfo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{phoneNumberId}/official_business_account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the status of the official account
         * @description Passed on to the platform's `GET /{phoneNumberId}/official_business_account`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:read`.
         */
        get: operations["getOfficialBusinessAccount"];
        put?: never;
        /**
         * Apply for the official account
         * @description Passed on to the platform's `POST /{phoneNumberId}/official_business_account`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`.
         */
        post: operations["requestOfficialBusinessAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{phoneNumberId}/message_history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the platform's records of a message
         * @description Passed on to the platform's `GET /{phoneNumberId}/message_history`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:read`.
         */
        get: operations["listMessageHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{historyId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the events of the platform's record of a message
         * @description Passed on to the platform's `GET /{historyId}/events`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:read`. Refused to keys that are limited to numbers.
         */
        get: operations["listHistoryEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{phoneNumberId}/request_code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a verification code
         * @description Passed on to the platform's `POST /{phoneNumberId}/request_code`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`.
         */
        post: operations["requestVerificationCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{phoneNumberId}/verify_code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a number with its code
         * @description Passed on to the platform's `POST /{phoneNumberId}/verify_code`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`.
         */
        post: operations["verifyCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{phoneNumberId}/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register a number
         * @description Passed on to the platform's `POST /{phoneNumberId}/register`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`.
         */
        post: operations["registerNumber"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{phoneNumberId}/deregister": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deregister a number
         * @description Passed on to the platform's `POST /{phoneNumberId}/deregister`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`.
         */
        post: operations["deregisterNumber"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{phoneNumberId}/smb_app_data": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for the contacts or the history of the business app
         * @description Passed on to the platform's `POST /{phoneNumberId}/smb_app_data`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`.
         */
        post: operations["requestAppData"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{wabaId}/signups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List in-app sign-ups
         * @description Passed on to the platform's `GET /{wabaId}/signups`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:read`. Refused to keys that are limited to numbers.
         */
        get: operations["listSignups"];
        put?: never;
        /**
         * Create an in-app sign-up
         * @description Passed on to the platform's `POST /{wabaId}/signups`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`. Refused to keys that are limited to numbers.
         */
        post: operations["createSignup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{phoneNumberId}/calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start, accept, reject or end a call
         * @description Passed on to the platform's `POST /{phoneNumberId}/calls`; the answer is the platform's own. Goes to the platform at once. Needs the scope `number:manage`.
         */
        post: operations["controlCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{phoneNumberId}/call_permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the permission to call a person
         * @description Passed on to the platform's `GET /{phoneNumberId}/call_permissions`; the answer is the platform's own. Goes to the platform at once. Needs the scope `number:read`.
         */
        get: operations["getCallPermission"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{phoneNumberId}/thread_control": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pass, release or take a conversation
         * @description Passed on to the platform's `POST /{phoneNumberId}/thread_control`; the answer is the platform's own. Goes to the platform at once. Needs the scope `number:manage`.
         */
        post: operations["controlThread"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{wabaId}/flows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List flows
         * @description Passed on to the platform's `GET /{wabaId}/flows`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:read`. Refused to keys that are limited to numbers.
         */
        get: operations["listFlows"];
        put?: never;
        /**
         * Create a flow
         * @description Passed on to the platform's `POST /{wabaId}/flows`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`. Refused to keys that are limited to numbers.
         */
        post: operations["createFlow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{flowId}/assets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the assets of a flow
         * @description Passed on to the platform's `GET /{flowId}/assets`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:read`. Refused to keys that are limited to numbers.
         */
        get: operations["listFlowAssets"];
        put?: never;
        /**
         * Upload the JSON of a flow
         * @description Passed on to the platform's `POST /{flowId}/assets`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`. Refused to keys that are limited to numbers.
         */
        post: operations["uploadFlowAsset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{flowId}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish a flow
         * @description Passed on to the platform's `POST /{flowId}/publish`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`. Refused to keys that are limited to numbers.
         */
        post: operations["publishFlow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{flowId}/deprecate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deprecate a flow
         * @description Passed on to the platform's `POST /{flowId}/deprecate`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`. Refused to keys that are limited to numbers.
         */
        post: operations["deprecateFlow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{phoneNumberId}/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List groups
         * @description Passed on to the platform's `GET /{phoneNumberId}/groups`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:read`.
         */
        get: operations["listGroups"];
        put?: never;
        /**
         * Create a group
         * @description Passed on to the platform's `POST /{phoneNumberId}/groups`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`.
         */
        post: operations["createGroup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{groupId}/invite_link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the invitation link of a group
         * @description Passed on to the platform's `GET /{groupId}/invite_link`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:read`. Refused to keys that are limited to numbers.
         */
        get: operations["getInviteLink"];
        put?: never;
        /**
         * Replace the invitation link of a group
         * @description Passed on to the platform's `POST /{groupId}/invite_link`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`. Refused to keys that are limited to numbers.
         */
        post: operations["resetInviteLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{groupId}/participants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove people from a group
         * @description Passed on to the platform's `DELETE /{groupId}/participants`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`. Refused to keys that are limited to numbers.
         */
        delete: operations["removeParticipants"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{groupId}/join_requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List requests to join a group
         * @description Passed on to the platform's `GET /{groupId}/join_requests`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:read`. Refused to keys that are limited to numbers.
         */
        get: operations["listJoinRequests"];
        put?: never;
        /**
         * Approve requests to join a group
         * @description Passed on to the platform's `POST /{groupId}/join_requests`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`. Refused to keys that are limited to numbers.
         */
        post: operations["approveJoinRequests"];
        /**
         * Reject requests to join a group
         * @description Passed on to the platform's `DELETE /{groupId}/join_requests`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`. Refused to keys that are limited to numbers.
         */
        delete: operations["rejectJoinRequests"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{wabaId}/analytics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read message figures
         * @description Passed on to the platform's `GET /{wabaId}/analytics`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:read`. Refused to keys that are limited to numbers.
         */
        get: operations["getAnalytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{wabaId}/conversation_analytics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read conversation figures
         * @description Passed on to the platform's `GET /{wabaId}/conversation_analytics`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:read`. Refused to keys that are limited to numbers.
         */
        get: operations["getConversationAnalytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{wabaId}/pricing_analytics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read price figures
         * @description Passed on to the platform's `GET /{wabaId}/pricing_analytics`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:read`. Refused to keys that are limited to numbers.
         */
        get: operations["getPricingAnalytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{wabaId}/call_analytics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read call figures
         * @description Passed on to the platform's `GET /{wabaId}/call_analytics`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:read`. Refused to keys that are limited to numbers.
         */
        get: operations["getCallAnalytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{wabaId}/template_analytics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read template figures
         * @description Passed on to the platform's `GET /{wabaId}/template_analytics`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:read`. Refused to keys that are limited to numbers.
         */
        get: operations["getTemplateAnalytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{wabaId}/template_group_analytics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read figures of template groups
         * @description Passed on to the platform's `GET /{wabaId}/template_group_analytics`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:read`. Refused to keys that are limited to numbers.
         */
        get: operations["getTemplateGroupAnalytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{wabaId}/upsert_message_templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create or replace authentication templates in several languages
         * @description Passed on to the platform's `POST /{wabaId}/upsert_message_templates`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`. Refused to keys that are limited to numbers.
         */
        post: operations["upsertTemplates"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{wabaId}/message_template_previews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview authentication templates
         * @description Passed on to the platform's `GET /{wabaId}/message_template_previews`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:read`. Refused to keys that are limited to numbers.
         */
        get: operations["listTemplatePreviews"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{templateId}/compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare two templates
         * @description Passed on to the platform's `GET /{templateId}/compare`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:read`. Refused to keys that are limited to numbers.
         */
        get: operations["compareTemplates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/{templateId}/unpause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the pause of a template
         * @description Passed on to the platform's `POST /{templateId}/unpause`; the answer is the platform's own. Counts against the hourly calls of the business account. Needs the scope `number:manage`. Refused to keys that are limited to numbers.
         */
        post: operations["unpauseTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "message.queued": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A send was accepted
         * @description Recorded together with the message, before the send is answered 202.
         */
        post: operations["on_message_queued"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "message.sent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The platform accepted a message
         * @description Recorded with the platform's answer, or with its status if that arrives first.
         */
        post: operations["on_message_sent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "message.delivered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A message reached its recipient
         * @description Recorded when the platform's status arrives.
         */
        post: operations["on_message_delivered"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "message.read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The recipient read a message
         * @description Recorded when the platform's status arrives. People who have turned read receipts off never cause it.
         */
        post: operations["on_message_read"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "message.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A message failed for good
         * @description Recorded when the platform refuses a message or reports its failure, or when the gateway gives it up. No other status follows.
         */
        post: operations["on_message_failed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "message.received": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A person wrote to one of your numbers
         * @description Recorded when the platform's webhook arrives, before the gateway answers it.
         */
        post: operations["on_message_received"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "template.status_updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A template's review or status changed
         * @description Recorded when a webhook or a read of the account shows the change.
         */
        post: operations["on_template_status_updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "template.category_updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A template's category changed, or will
         * @description Recorded when the platform announces or makes the change.
         */
        post: operations["on_template_category_updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "template.quality_updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A template's quality score changed
         * @description Recorded when the platform reports the score.
         */
        post: operations["on_template_quality_updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "number.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A number's quality, name, throughput or limits changed
         * @description Recorded when the platform's webhook arrives.
         */
        post: operations["on_number_updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "account.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A business account's state, review or limits changed
         * @description Recorded when the platform's webhook arrives.
         */
        post: operations["on_account_updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "upstream.other": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The platform reported something that has no type of its own
         * @description Recorded for every webhook field that this gateway does not interpret, so that nothing the platform reports is lost.
         */
        post: operations["on_upstream_other"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.disabled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An endpoint of yours was disabled after failing for too long, or answering 410
         * @description Delivered to your other endpoints. `POST /v1/webhooks/{id}/enable` turns the endpoint on again.
         */
        post: operations["on_webhook_disabled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * You asked for a test event
         * @description Recorded by `POST /v1/webhooks/{id}/test`, for that endpoint alone.
         */
        post: operations["on_webhook_test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "message.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The platform reported something about a message that is no delivery status, such as a payment
         * @description Recorded when the report arrives. The status of the message stays as it is.
         */
        post: operations["on_message_updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "message.standby": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A person wrote to one of your numbers while a business agent held the conversation
         * @description Recorded in place of `message.received`, so that a bot does not answer by accident.
         */
        post: operations["on_message_standby"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "message.echoed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A message was sent from one of your numbers elsewhere: by a business agent or from the app
         * @description Recorded when the platform's echo arrives. The events of its statuses follow.
         */
        post: operations["on_message_echoed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "window.closing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A 24-hour window closes within the hour
         * @description Recorded an hour before the end, unless the person writes or calls again. Only for endpoints that name this type.
         */
        post: operations["on_window_closing"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "configuration.changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A key of yours changed a profile, a setting, a registration, a flow, a group or a template at the platform
         * @description Recorded once the platform has accepted a change that the gateway passed on. It names the call, never its body.
         */
        post: operations["on_configuration_changed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "opt_out.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A person wants no marketing from one of your numbers
         * @description Recorded when a call adds the opt-out, the platform reports it, or a message with a stop word arrives.
         */
        post: operations["on_opt_out_created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "opt_out.removed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An opt-out has ended
         * @description Recorded when a call ends it, or the platform reports that the person wants marketing again.
         */
        post: operations["on_opt_out_removed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /** Error */
        Error: {
            /** @description Explanation for people. */
            message: string;
            /** @description Code for programs. */
            code: string;
            /** @description Also in the `x-request-id` header. */
            request_id: string;
            /**
             * Format: uri-reference
             * @description Explanation of the code in the reference of this gateway. Absent if the operator has turned the reference off.
             */
            doc_url?: string;
            available_languages?: string[];
            provider_error?: {
                code: number;
                error_user_title: string;
                error_user_msg: string;
            };
            /** @description The same error in the Graph API's shape. */
            error: {
                message: string;
                type: string;
                code: number;
                /** @description The reason of a refused template. */
                error_subcode?: number;
                /** @description As in `provider_error`. */
                error_user_title?: string;
                /** @description As in `provider_error`. */
                error_user_msg?: string;
                error_data: {
                    details: string;
                };
                fbtrace_id: string;
            };
        };
        OperatorRequest: {
            /** @description A person or a program. */
            name: string;
            /**
             * @description `support` reads, with phone numbers and the contents of messages masked. `operator` also changes tenants, keys, accounts and numbers. `admin` also manages operators and closes organizations.
             * @enum {unknown}
             */
            role: "support" | "operator" | "admin";
            /** @description Moment from which the token is refused, ISO 8601; null never. */
            expires_at?: string | null;
        };
        /** @description The operator and the new token. */
        OperatorWithToken: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {unknown} */
            role: "support" | "operator" | "admin";
            /** @description The first characters of the token, to recognise it; null for an operator without a token. */
            hint: string | null;
            /** @description For a person who signs in at the console by the identity provider, which states name and role at each sign-in; otherwise null. */
            identity: {
                issuer: string;
                /** @description The provider's own name of the person, which stays the same. */
                subject: string;
                email: string | null;
            } | null;
            /** Format: date-time */
            created_at: string;
            expires_at: string | null;
            revoked_at: string | null;
            /** @description Time until which the token before the last rotation works. */
            previous_until: string | null;
            /** @description Correct to the hour. */
            last_used_at: string | null;
            /** @description The token itself, shown this once: only its hash is stored. */
            token: string;
        };
        /** @description The operator. */
        Operator: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {unknown} */
            role: "support" | "operator" | "admin";
            /** @description The first characters of the token, to recognise it; null for an operator without a token. */
            hint: string | null;
            /** @description For a person who signs in at the console by the identity provider, which states name and role at each sign-in; otherwise null. */
            identity: {
                issuer: string;
                /** @description The provider's own name of the person, which stays the same. */
                subject: string;
                email: string | null;
            } | null;
            /** Format: date-time */
            created_at: string;
            expires_at: string | null;
            revoked_at: string | null;
            /** @description Time until which the token before the last rotation works. */
            previous_until: string | null;
            /** @description Correct to the hour. */
            last_used_at: string | null;
        };
        /** @description Absent members stay as they are. */
        OperatorPatch: {
            /** @description A person or a program. */
            name?: string;
            /**
             * @description `support` reads, with phone numbers and the contents of messages masked. `operator` also changes tenants, keys, accounts and numbers. `admin` also manages operators and closes organizations.
             * @enum {unknown}
             */
            role?: "support" | "operator" | "admin";
            /** @description Moment from which the token is refused, ISO 8601; null never. */
            expires_at?: string | null;
        };
        AppRequest: {
            /** @description The platform's id of the app. */
            app_id: string;
            name: string;
            /** @description One secret, or two during a rotation. Webhooks may be signed with either; the first one proves calls. Stored sealed. */
            secrets: string[];
            /** @description The token that the platform presents when it verifies the webhook address of the app. Stored sealed. */
            verify_token: string;
            /** @description True if the app has *Require App Secret* on: each call carries a proof of the first secret. */
            secret_proof?: boolean;
            /** @description Configuration of Facebook Login for Business, for Embedded Signup. */
            signup_configuration_id?: string | null;
        };
        /** @description The app. */
        MetaApp: {
            app_id: string;
            name: string;
            /** @description Number of its secrets. No answer has a secret itself. */
            secrets: number;
            secret_proof: boolean;
            signup_configuration_id: string | null;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change of the secrets or the verify token.
             */
            secrets_changed_at: string;
        };
        /** @description Absent members stay as they are. */
        AppPatch: {
            name?: string;
            /** @description One secret, or two during a rotation. Webhooks may be signed with either; the first one proves calls. Stored sealed. */
            secrets?: string[];
            /** @description The token that the platform presents when it verifies the webhook address of the app. Stored sealed. */
            verify_token?: string;
            /** @description True if the app has *Require App Secret* on: each call carries a proof of the first secret. */
            secret_proof?: boolean;
            /** @description Configuration of Facebook Login for Business, for Embedded Signup. */
            signup_configuration_id?: string | null;
        };
        /** @description A change. */
        AuditedChange: {
            /** Format: uuid */
            id: string;
            /** @description The organization whose chain has the change; null for a change that belongs to none. */
            organization_id: string | null;
            /** @description Place in the chain. Results and checkpoints have places of their own. */
            sequence: number;
            /** Format: date-time */
            at: string;
            actor: {
                /**
                 * @description `unknown` if the row cannot be read.
                 * @enum {unknown}
                 */
                type: "operator" | "admin_token" | "api_key" | "unknown";
                id: string | null;
                name: string | null;
                /** @description The person as the identity provider named them, for an operator who signed in there; otherwise null. */
                identity: {
                    issuer: string;
                    subject: string;
                    email: string | null;
                } | null;
            };
            /** @description The address that the request came from. */
            address: string | null;
            /** @description As in the `x-request-id` header of the answer; empty if the row cannot be read. */
            request_id: string;
            /** @description The operation by its `operationId` in this file; `signIn` for a sign-in at the console by the identity provider; `unreadable` for a row that was altered in the database; the check of its chain finds it. */
            operation: string;
            /** @description The object of the change; null if there is none with the requested id. */
            object: {
                type: string;
                id: string;
            } | null;
            /** @description Listed members of the object before the change. */
            before: {
                [key: string]: unknown;
            } | null;
            /** @description The same members after the change; null if it was refused, or the object ended. */
            after: {
                [key: string]: unknown;
            } | null;
            /** @description Listed parameters of the request. */
            parameters: {
                [key: string]: unknown;
            } | null;
            /** @description Listed members of the answer. */
            answer: {
                [key: string]: unknown;
            } | null;
            /** @description Status of the answer. Null while the change is in progress, and if the process ended during it. */
            http_status: number | null;
            /** @description SHA-256 over this row and the digest before, in hex. */
            digest: string;
        };
        /** @description One page, newest first. */
        AuditedChangePage: {
            data: components["schemas"]["AuditedChange"][];
            /** @description The `after` of the next page; null at the end. */
            next: string | null;
        };
        /** @description The verdict. */
        AuditVerdict: {
            organization_id: string | null;
            /** @description True if every row follows from the row before. */
            intact: boolean;
            /** @description Number of rows found right. */
            rows: number;
            /** @description The end of the chain. Note it elsewhere, and pass it to a later check. */
            head: {
                sequence: number;
                digest: string;
            } | null;
            /** @description The first row that contradicts the others. */
            problem: {
                sequence: number;
                reason: string;
            } | null;
        };
        OrganizationRequest: {
            /** @description For people. */
            name: string;
            /** @description True for a test organization. It gets a business account of the built-in simulator, cannot connect any other, and nothing of it reaches the platform. Its keys begin with `fw_test_`. Chosen at the creation, for good. Default `false`. */
            test?: boolean;
            /** @description Share of the gateway among organizations that all have work waiting. Default 1. */
            weight?: number;
            /**
             * @description Action after a send whose outcome stays unknown: `resend` sends it once more, `fail` ends it as failed. Default `resend`.
             * @enum {unknown}
             */
            unknown_outcome_policy?: "resend" | "fail";
            /** @description Seconds after acceptance at which a message that was not sent fails as `EXPIRED`. A shorter time to live of the message ends it earlier. Default 86400. */
            message_ttl_seconds?: number;
            /** @description Accepts free-form bodies with `category` outside of the 24-hour window, for accounts that may use Direct Send. Default false. */
            direct_send?: boolean;
            /**
             * @description Notation of `contacts[0]` in the answer to a send: `to` as sent and its digits, or with `e164` both with `+`, so that they agree with endpoints that have the same setting. Default `upstream`.
             * @enum {unknown}
             */
            phone_numbers?: "upstream" | "e164";
            /** @description Accepts a `to` without `+`: its digits must begin with the country code. The body is forwarded as sent, and the platform documents that it puts the country code of the sending number in front of such a `to`. Default `false`. */
            to_without_plus?: boolean;
            /** @description Accepts `contacts` of a send as a text that holds the JSON array. It is forwarded as sent. Default `false`. */
            contacts_as_text?: boolean;
            /** @description Accepts API keys also as `Authorization: OAuth <key>` and as the query parameter `access_token`. Proxies may log queries. Default `false`. */
            cloud_api_credentials?: boolean;
            /** @description Shorter times of keeping data than the gateway's own, in whole UTC days. Absent members follow the gateway. A change replaces the object. Default `{}`. */
            retention?: {
                /** @description Days after which contents and identifiers of messages are removed, and the events about them. Times, status, category and price stay, and so do counts. A message that waits is kept, and so are all later ones. */
                messages_days?: number;
                /** @description Days after which events and the attempts of deliveries are deleted. */
                events_days?: number;
                /** @description Days after which the names of files are removed. */
                media_names_days?: number;
            };
            /**
             * @description Time up to which the body of a sent message is kept: `until_expiry` with the message, `until_sent` until the platform has accepted it or it has failed, and about a second longer. Default `until_expiry`.
             * @enum {unknown}
             */
            keep_bodies?: "until_expiry" | "until_sent";
            /** @description Words such as `STOP`. A person's message that consists of one of them opts the person out of marketing from the number that receives it. Letter case and punctuation around the word do not count. Default: none. */
            opt_out_words?: string[];
            /**
             * @description Sends marketing templates to the platform's `/marketing_messages`: `auto` where the business account has been admitted there, or no longer takes them at `/messages`; `on` always; `off` never. A business account may have a setting of its own. Default `auto`.
             * @enum {unknown}
             */
            marketing_messages?: "auto" | "on" | "off";
        };
        /** @description The organization. */
        Organization: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description True for a test organization. It gets a business account of the built-in simulator, cannot connect any other, and nothing of it reaches the platform. Its keys begin with `fw_test_`. Chosen at the creation, for good. Default `false`. */
            test: boolean;
            weight: number;
            /** @enum {unknown} */
            unknown_outcome_policy: "resend" | "fail";
            message_ttl_seconds: number;
            direct_send: boolean;
            /** @enum {unknown} */
            phone_numbers: "upstream" | "e164";
            to_without_plus: boolean;
            contacts_as_text: boolean;
            cloud_api_credentials: boolean;
            opt_out_words: string[];
            /** @enum {unknown} */
            marketing_messages: "auto" | "on" | "off";
            /** @description Shorter times of keeping data than the gateway's own, in whole UTC days. Absent members follow the gateway. A change replaces the object. Default `{}`. */
            retention: {
                /** @description Days after which contents and identifiers of messages are removed, and the events about them. Times, status, category and price stay, and so do counts. A message that waits is kept, and so are all later ones. */
                messages_days?: number;
                /** @description Days after which events and the attempts of deliveries are deleted. */
                events_days?: number;
                /** @description Days after which the names of files are removed. */
                media_names_days?: number;
            };
            /** @enum {unknown} */
            keep_bodies: "until_expiry" | "until_sent";
            /** Format: date-time */
            created_at: string;
        };
        /** @description Absent members stay as they are. */
        OrganizationPatch: {
            /** @description For people. */
            name?: string;
            /** @description Share of the gateway among organizations that all have work waiting. Default 1. */
            weight?: number;
            /**
             * @description Action after a send whose outcome stays unknown: `resend` sends it once more, `fail` ends it as failed. Default `resend`.
             * @enum {unknown}
             */
            unknown_outcome_policy?: "resend" | "fail";
            /** @description Seconds after acceptance at which a message that was not sent fails as `EXPIRED`. A shorter time to live of the message ends it earlier. Default 86400. */
            message_ttl_seconds?: number;
            /** @description Accepts free-form bodies with `category` outside of the 24-hour window, for accounts that may use Direct Send. Default false. */
            direct_send?: boolean;
            /**
             * @description Notation of `contacts[0]` in the answer to a send: `to` as sent and its digits, or with `e164` both with `+`, so that they agree with endpoints that have the same setting. Default `upstream`.
             * @enum {unknown}
             */
            phone_numbers?: "upstream" | "e164";
            /** @description Accepts a `to` without `+`: its digits must begin with the country code. The body is forwarded as sent, and the platform documents that it puts the country code of the sending number in front of such a `to`. Default `false`. */
            to_without_plus?: boolean;
            /** @description Accepts `contacts` of a send as a text that holds the JSON array. It is forwarded as sent. Default `false`. */
            contacts_as_text?: boolean;
            /** @description Accepts API keys also as `Authorization: OAuth <key>` and as the query parameter `access_token`. Proxies may log queries. Default `false`. */
            cloud_api_credentials?: boolean;
            /** @description Shorter times of keeping data than the gateway's own, in whole UTC days. Absent members follow the gateway. A change replaces the object. Default `{}`. */
            retention?: {
                /** @description Days after which contents and identifiers of messages are removed, and the events about them. Times, status, category and price stay, and so do counts. A message that waits is kept, and so are all later ones. */
                messages_days?: number;
                /** @description Days after which events and the attempts of deliveries are deleted. */
                events_days?: number;
                /** @description Days after which the names of files are removed. */
                media_names_days?: number;
            };
            /**
             * @description Time up to which the body of a sent message is kept: `until_expiry` with the message, `until_sent` until the platform has accepted it or it has failed, and about a second longer. Default `until_expiry`.
             * @enum {unknown}
             */
            keep_bodies?: "until_expiry" | "until_sent";
            /** @description Words such as `STOP`. A person's message that consists of one of them opts the person out of marketing from the number that receives it. Letter case and punctuation around the word do not count. Default: none. */
            opt_out_words?: string[];
            /**
             * @description Sends marketing templates to the platform's `/marketing_messages`: `auto` where the business account has been admitted there, or no longer takes them at `/messages`; `on` always; `off` never. A business account may have a setting of its own. Default `auto`.
             * @enum {unknown}
             */
            marketing_messages?: "auto" | "on" | "off";
        };
        /** @description The plan in effect. */
        Plan: {
            name: string;
            active: boolean;
            /** @description Messages accepted per calendar month (UTC). */
            monthly_message_limit: number | null;
            /** @description Send types that are included. */
            message_types: ("text" | "template" | "image" | "video" | "audio" | "document" | "sticker" | "location" | "contacts" | "interactive" | "reaction")[] | null;
            /** @description Template categories that are included; answered in upper case. */
            template_categories: ("MARKETING" | "UTILITY" | "AUTHENTICATION" | "marketing" | "utility" | "authentication")[] | null;
            /** @description Money per calendar month (UTC), up to six decimals, in whatever currency the prices are in. */
            monthly_budget: number | null;
            /** @description API requests a second of all keys together, on each node. */
            requests_per_second: number | null;
            /** @description API requests a second of each key, on each node. */
            key_requests_per_second: number | null;
            /** @description Messages waiting to be sent; more are refused with `QUEUE_FULL`. */
            queue_max: number | null;
            /** @description Service messages that the platform delivers free, per number and calendar month (UTC). A service message is accepted at no price until the platform has reported this number as free. Its price is added if the platform reports another type. Default 1000; null: all. */
            free_service_messages: number | null;
            /** @description Price of one message by category in lower case, if no rate card has a price. Categories without a price cost: marketing 0.06, utility and authentication 0.02, service 0.01, any other as marketing. `-` and `_` in a category are the same. */
            prices: {
                [key: string]: number;
            } | null;
        };
        /** @description Absent members stay as they are; `null` is unlimited. */
        PlanRequest: {
            /** @description For people. */
            name?: string;
            /** @description `false` refuses every send. */
            active?: boolean;
            /** @description Messages accepted per calendar month (UTC). */
            monthly_message_limit?: number | null;
            /** @description Send types that are included. */
            message_types?: ("text" | "template" | "image" | "video" | "audio" | "document" | "sticker" | "location" | "contacts" | "interactive" | "reaction")[] | null;
            /** @description Template categories that are included; answered in upper case. */
            template_categories?: ("MARKETING" | "UTILITY" | "AUTHENTICATION" | "marketing" | "utility" | "authentication")[] | null;
            /** @description Money per calendar month (UTC), up to six decimals, in whatever currency the prices are in. */
            monthly_budget?: number | null;
            /** @description API requests a second of all keys together, on each node. */
            requests_per_second?: number | null;
            /** @description API requests a second of each key, on each node. */
            key_requests_per_second?: number | null;
            /** @description Messages waiting to be sent; more are refused with `QUEUE_FULL`. */
            queue_max?: number | null;
            /** @description Service messages that the platform delivers free, per number and calendar month (UTC). A service message is accepted at no price until the platform has reported this number as free. Its price is added if the platform reports another type. Default 1000; null: all. */
            free_service_messages?: number | null;
            /** @description Price of one message by category in lower case, if no rate card has a price. Categories without a price cost: marketing 0.06, utility and authentication 0.02, service 0.01, any other as marketing. `-` and `_` in a category are the same. */
            prices?: {
                [key: string]: number;
            } | null;
        };
        /** @description The usage of the month. */
        Usage: {
            month: string;
            accepted: number;
            sent: number;
            delivered: number;
            failed: number;
            by_category: {
                [key: string]: number;
            };
            by_pricing: {
                [key: string]: number;
            };
            /** @description Money for the budget: the price of each accepted message, settled by the platform's report, without failed ones. */
            spent: number;
            /** @description With `group_by`: the delivered messages with reported pricing, and their cost. A message counts in the month of its acceptance. */
            groups?: {
                api_key?: string | null;
                template?: string | null;
                country?: string | null;
                category?: string | null;
                pricing_type?: string | null;
                number?: string | null;
                messages: number;
                charged: number;
                /** @description The same in millionths, exactly. */
                charged_micros: number;
            }[];
        };
        /** @description The days of the month. */
        UsageDays: {
            month: string;
            /** @description The days that have begun, oldest first. */
            days: {
                /** Format: date */
                day: string;
                accepted: number;
                sent: number;
                delivered: number;
                failed: number;
                spent: number;
                /** @description The same in millionths, exactly. */
                spent_micros: number;
                /** @description With `group_by`: the delivered messages with reported pricing, and their cost. */
                groups?: {
                    category?: string | null;
                    country?: string | null;
                    messages: number;
                    charged: number;
                    /** @description The same in millionths, exactly. */
                    charged_micros: number;
                }[];
            }[];
        };
        /** @description May be left out: a key without limits may do everything that the organization may. */
        ApiKeyRequest: {
            /** @description Purpose of the key, for people. */
            name?: string;
            /** @description Operations that the key may call; each operation names its scope. Null or absent: all of them. */
            scopes?: ("messages:send" | "messages:read" | "templates:read" | "templates:write" | "media" | "webhooks" | "events:read" | "number:read" | "number:manage" | "opt-outs" | "audit:read" | "people")[] | null;
            /** @description Numbers that the key may use, by the platform's id. The key then reads only messages and events of these numbers, and operations that are not about one number are refused to it. Null or absent: all of the organization, also later ones. */
            phone_number_ids?: string[] | null;
            /** @description Address ranges, in CIDR notation, that the key may be used from. The gateway compares the address of the connection. Null or absent: everywhere. */
            source_ranges?: string[] | null;
            /** @description POST requests to `messages` that the key may make in a minute, on each node. All of them at once, or spread over it. Null or absent: only the plan's limits hold. */
            messages_per_minute?: number | null;
            /** @description Moment from which the key is refused, ISO 8601. Null or absent: never. */
            expires_at?: string | null;
        };
        /** @description The new key. The list of keys has its limits. */
        NewApiKey: {
            /** Format: uuid */
            id: string;
            /** @description The key itself, shown this once: only its hash is stored. */
            key: string;
            name: string | null;
            /** Format: date-time */
            created_at: string;
        };
        /** @description The key. */
        ApiKey: {
            /** Format: uuid */
            id: string;
            name: string | null;
            /** @description The first characters of the key, to recognise it. */
            hint: string;
            scopes: string[] | null;
            phone_number_ids: string[] | null;
            source_ranges: string[] | null;
            messages_per_minute: number | null;
            /** Format: date-time */
            created_at: string;
            expires_at: string | null;
            /** @description Null while it works. */
            disabled_at: string | null;
            /** @description Time until which the key before the last rotation works. */
            previous_until: string | null;
            /** @description Correct to the hour. */
            last_used_at: string | null;
        };
        /** @description Absent members stay as they are. */
        ApiKeyPatch: {
            /** @description Purpose of the key, for people. */
            name?: string;
            /** @description Operations that the key may call; each operation names its scope. Null or absent: all of them. */
            scopes?: ("messages:send" | "messages:read" | "templates:read" | "templates:write" | "media" | "webhooks" | "events:read" | "number:read" | "number:manage" | "opt-outs" | "audit:read" | "people")[] | null;
            /** @description Numbers that the key may use, by the platform's id. The key then reads only messages and events of these numbers, and operations that are not about one number are refused to it. Null or absent: all of the organization, also later ones. */
            phone_number_ids?: string[] | null;
            /** @description Address ranges, in CIDR notation, that the key may be used from. The gateway compares the address of the connection. Null or absent: everywhere. */
            source_ranges?: string[] | null;
            /** @description POST requests to `messages` that the key may make in a minute, on each node. All of them at once, or spread over it. Null or absent: only the plan's limits hold. */
            messages_per_minute?: number | null;
            /** @description Moment from which the key is refused, ISO 8601. Null or absent: never. */
            expires_at?: string | null;
        };
        /** @description The key with its new secret. */
        RotatedApiKey: {
            /** Format: uuid */
            id: string;
            name: string | null;
            /** @description The first characters of the key, to recognise it. */
            hint: string;
            scopes: string[] | null;
            phone_number_ids: string[] | null;
            source_ranges: string[] | null;
            messages_per_minute: number | null;
            /** Format: date-time */
            created_at: string;
            expires_at: string | null;
            /** @description Null while it works. */
            disabled_at: string | null;
            /** @description Time until which the key before the last rotation works. */
            previous_until: string | null;
            /** @description Correct to the hour. */
            last_used_at: string | null;
            /** @description The key itself, shown this once: only its hash is stored. */
            key: string;
        };
        /** @description In place of JSON, `text/csv` with a header of `category`, `country` and `price`; `valid_from` is in the query then. */
        RateCard: {
            /** @description First day of validity (UTC), `YYYY-MM-DD`. */
            valid_from: string;
            rates: {
                /** @description As reported by the platform, such as `authentication-international`. */
                category: string;
                /** @description Two letters (ISO 3166), by the recipient's number; `*` or absent: any other. */
                country?: string;
                /** @description Price of one message; at most six decimals. */
                price: number | string;
            }[];
        };
        ConnectAccountRequest: {
            /** @description The platform's id of the business account. */
            waba_id: string;
            /** @description A token that may manage the account and send from its numbers. Stored sealed, never shown. */
            access_token: string;
            /** @description The Meta app that the token belongs to; null stands for that of `UPSTREAM_APP_ID`. Absent, the gateway asks the platform, and keeps the present app if the platform names none of its apps. */
            app_id?: string | null;
        };
        /** @description The business account as it was just read. */
        BusinessAccount: {
            waba_id: string;
            /** @description The Meta app that its token belongs to; null if that is the app of the environment and `UPSTREAM_APP_ID` is not set. */
            app_id: string | null;
            /** @description True if the app is subscribed to the webhooks of the business account; otherwise none arrives. Null if the platform has not reported it. */
            webhooks_subscribed: boolean | null;
            numbers: {
                /** Format: uuid */
                account_id: string;
                phone_number_id: string;
                /** @description Digits with country code. */
                phone_number: string;
                /** @description True if it can send. */
                registered: boolean;
                /** @description There when an override at the platform sends the webhooks of the number elsewhere: its statuses and messages do not arrive. As it was when the business account was last read. */
                webhook_override: {
                    /** @description Level of the setting at the platform that applies. */
                    level: "phone_number" | "whatsapp_business_account";
                    /** @description Their receiver: origin and path of the address. */
                    url: string | null;
                } | null;
            }[];
            /** @description How many were read. */
            templates: number;
        };
        /** @description Use of the platform's `/marketing_messages` for marketing templates. */
        MarketingUse: {
            /** @description The business account's own setting; null takes the organization's. */
            setting: ("auto" | "on" | "off") | null;
            /**
             * @description The setting that applies.
             * @enum {unknown}
             */
            in_force: "auto" | "on" | "off";
            /** @description The platform's `marketing_messages_onboarding_status`; with `auto`, `ONBOARDED` accounts send marketing templates to `/marketing_messages`. Null if it was never read. */
            onboarding_status: string | null;
        };
        ListedNumber: {
            /** Format: uuid */
            account_id: string;
            phone_number_id: string;
            /** @description Digits with country code. */
            phone_number: string;
            /** @description True if it can send. */
            registered: boolean;
            /** @description There when an override at the platform sends the webhooks of the number elsewhere: its statuses and messages do not arrive. As it was when the business account was last read. */
            webhook_override: {
                /** @description Level of the setting at the platform that applies. */
                level: "phone_number" | "whatsapp_business_account";
                /** @description Their receiver: origin and path of the address. */
                url: string | null;
            } | null;
            paused: boolean;
            /** @description Reason for which its queue waits until its business account is connected or read again; null if it does not wait. A reason that the platform has reported about the account or number (`ACCOUNT_…`) ends with the platform's report, or with a new connect. */
            parked: {
                code: string;
                reason: string;
            } | null;
        };
        /** @description Absent members stay as they are. */
        BusinessAccountPatch: {
            /** @description The business account's own setting; `null` takes the organization's. */
            marketing_messages?: ("auto" | "on" | "off") | null;
            /** @description The Meta app that its token belongs to; `null` stands for that of `UPSTREAM_APP_ID`. */
            app_id?: string | null;
        };
        /** @description Absent members stay as they are. */
        NumberPatch: {
            /** @description The number's pace; `null` follows the platform's. */
            messages_per_second?: number | null;
            /** @description A paused number keeps its queue. */
            paused?: boolean;
        };
        /** @description The number. */
        SendingNumber: {
            /** Format: uuid */
            account_id: string;
            phone_number_id: string;
            /** @description Digits with country code. */
            phone_number: string;
            /** @description True if it can send. */
            registered: boolean;
            /** @description There when an override at the platform sends the webhooks of the number elsewhere: its statuses and messages do not arrive. As it was when the business account was last read. */
            webhook_override: {
                /** @description Level of the setting at the platform that applies. */
                level: "phone_number" | "whatsapp_business_account";
                /** @description Their receiver: origin and path of the address. */
                url: string | null;
            } | null;
            paused: boolean;
            /** @description Reason for which its queue waits until its business account is connected or read again; null if it does not wait. A reason that the platform has reported about the account or number (`ACCOUNT_…`) ends with the platform's report, or with a new connect. */
            parked: {
                code: string;
                reason: string;
            } | null;
            /** Format: uuid */
            organization_id: string;
            waba_id: string;
            verified_name: string | null;
            /** @description The platform's word for its state. */
            status: string | null;
            quality_rating: string | null;
            /** @description The pace in effect. */
            messages_per_second: number;
        };
        /** @description Either `access_token` or `code`. */
        OnboardingRequest: {
            /** @description The Meta app by which the account is shared, or to which the token belongs; null stands for that of `UPSTREAM_APP_ID`. Absent, it is that of `UPSTREAM_APP_ID`, or the further app that the platform names for the token. */
            app_id?: string | null;
            /** @description A token that may manage the account and send from its numbers. Stored sealed, never shown. */
            access_token?: string;
            /** @description Code of a sign-up. It is exchanged at once, because it lives for 30 seconds. */
            code?: string;
            /** @description Address to which the dialog returned the code. */
            redirect_uri?: string;
            /** @description The business account, if the token reaches several. */
            waba_id?: string;
            /** @description The number, if the account has several. */
            phone_number_id?: string;
            /** @description The number's PIN of two-step verification. Without one, the gateway makes one if it registers it. */
            pin?: string;
            /** @description Recipient of the test message. Without one, none is sent. */
            test_recipient?: string;
            /** @description Template of the test message; `hello_world` in `en_US` if absent. */
            template?: {
                name: string;
                language: string;
            };
        };
        Onboarding: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organization_id: string;
            /** @description The set-up link that began it; null for one of an operator. */
            setup_link_id: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /**
             * @description `waiting` waits for a choice, `failed` for the repeat of a step.
             * @enum {unknown}
             */
            state: "running" | "waiting" | "failed" | "done" | "ended";
            /** @description The Meta app; null if it is the app of the environment and `UPSTREAM_APP_ID` is not set. */
            app_id: string | null;
            waba_id: string | null;
            phone_number_id: string | null;
            test_recipient: string | null;
            template: {
                name: string;
                language: string;
            };
            /** @description The test message. */
            message_id: string | null;
            /** @description True if a PIN is kept that was not shown yet. */
            has_pin: boolean;
            steps: {
                /**
                 * @description The step.
                 * @enum {unknown}
                 */
                step: "exchange_code" | "check_token" | "connect_account" | "app_fields" | "account_subscription" | "verify_number" | "register_number" | "test_message";
                /** @enum {unknown} */
                state: "waiting" | "running" | "done" | "failed" | "skipped";
                /** @description Time of the last change; null if the step has not begun. */
                at: string | null;
                /** @description The facts that the step found. */
                message: string | null;
                /** @description The platform's or the gateway's code of the fault. */
                code: string | null;
                /** @description The next action of a person. */
                advice: string | null;
                /** @description Accounts or numbers to choose from, by `waba_id` or `phone_number_id` of a repeat. */
                choices: {
                    id: string;
                    label: string;
                }[];
            }[];
        };
        /** @description Values that replace those of the onboarding. */
        OnboardingRepeat: {
            /** @description The Meta app by which the account is shared, or to which the token belongs; null stands for that of `UPSTREAM_APP_ID`. Absent, it is that of `UPSTREAM_APP_ID`, or the further app that the platform names for the token. */
            app_id?: string | null;
            /** @description A token that may manage the account and send from its numbers. Stored sealed, never shown. */
            access_token?: string;
            /** @description Code of a sign-up. It is exchanged at once, because it lives for 30 seconds. */
            code?: string;
            /** @description Address to which the dialog returned the code. */
            redirect_uri?: string;
            /** @description The business account, if the token reaches several. */
            waba_id?: string;
            /** @description The number, if the account has several. */
            phone_number_id?: string;
            /** @description The number's PIN of two-step verification. Without one, the gateway makes one if it registers it. */
            pin?: string;
            /** @description Recipient of the test message. Without one, none is sent. */
            test_recipient?: string;
            /** @description Template of the test message; `hello_world` in `en_US` if absent. */
            template?: {
                name: string;
                language: string;
            };
            /** @description Takes the app's webhooks from the address they go to. */
            replace_callback?: boolean;
            /** @description With `verify_number`: has the platform send a code to the number. */
            request_code?: "SMS" | "VOICE";
            /** @description With `verify_number`: the code that the number received. */
            verification_code?: string;
        };
        SetupLinkRequest: {
            /** @description Life of the link; three days if absent. */
            expires_in_seconds?: number;
            /** @description The Meta app by which the account is shared, or to which the token belongs; null stands for that of `UPSTREAM_APP_ID`. Absent, it is that of `UPSTREAM_APP_ID`, or the further app that the platform names for the token. */
            app_id?: string | null;
            /** @description Recipient of the test message. Without one, none is sent. */
            test_recipient?: string;
            /** @description Template of the test message; `hello_world` in `en_US` if absent. */
            template?: {
                name: string;
                language: string;
            };
        };
        SetupLinkWithUrl: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
            revoked_at: string | null;
            /** @description The onboarding that it began. */
            onboarding_id: string | null;
            /** @description The Meta app; null if it is the app of the environment and `UPSTREAM_APP_ID` is not set. */
            app_id: string | null;
            test_recipient: string | null;
            template: {
                name: string;
                language: string;
            };
            /** @description The link. Its secret is behind the `#`, which no server sees in an address. No later answer has it. */
            url: string;
        };
        SetupLink: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
            revoked_at: string | null;
            /** @description The onboarding that it began. */
            onboarding_id: string | null;
            /** @description The Meta app; null if it is the app of the environment and `UPSTREAM_APP_ID` is not set. */
            app_id: string | null;
            test_recipient: string | null;
            template: {
                name: string;
                language: string;
            };
        };
        DoctorFinding: {
            /** @description The check. */
            id: string;
            /** @description The object: `postgres`, `gateway`, `platform`, `app`, `waba …`, `number …`, `endpoint …`. */
            subject: string;
            /** @description Null for the deployment as a whole. */
            organization_id: string | null;
            /** @description `skipped` if another finding names the cause. */
            status: "ok" | "warning" | "failed" | "skipped";
            message: string;
            /** @description What to do. */
            advice: string | null;
            /** @description File and anchor in the documentation. */
            doc: string;
            /** @description True if `POST /admin/v1/doctor/fixes` repairs it. */
            fixable: boolean;
        };
        /** @description The platform's own message body, with the object that `type` names. Forwarded as sent, byte for byte, except that ids of this API which name other messages are replaced. */
        SendRequest: {
            /**
             * @description Added if absent.
             * @enum {string}
             */
            messaging_product?: "whatsapp";
            /** @enum {string} */
            recipient_type?: "individual";
            /** @description The recipient with a leading `+` and country code; spaces, hyphens, dots and parentheses may stand between digits. Required, unless `recipient` is given. */
            to?: string;
            /** @description The user id of a recipient whose number you do not know. `to` comes first where both are given. */
            recipient?: string;
            /**
             * @description Names the object that is sent.
             * @enum {unknown}
             */
            type: "text" | "template" | "image" | "video" | "audio" | "document" | "sticker" | "location" | "contacts" | "interactive" | "reaction";
            /** @description For `text`. */
            text?: {
                body: string;
                preview_url?: boolean;
            } & {
                [key: string]: unknown;
            };
            /** @description For `template`. */
            template?: {
                name: string;
                language?: {
                    code: string;
                } & {
                    [key: string]: unknown;
                };
                components?: {
                    [key: string]: unknown;
                }[];
            } & {
                [key: string]: unknown;
            };
            /** @description For `image`. */
            image?: {
                /** @description The id of an upload under the same number. */
                id?: string;
                /** Format: uri */
                link?: string;
                caption?: string;
            } & {
                [key: string]: unknown;
            };
            /** @description For `video`. */
            video?: {
                /** @description The id of an upload under the same number. */
                id?: string;
                /** Format: uri */
                link?: string;
                caption?: string;
            } & {
                [key: string]: unknown;
            };
            /** @description For `audio`. */
            audio?: {
                /** @description The id of an upload under the same number. */
                id?: string;
                /** Format: uri */
                link?: string;
            } & {
                [key: string]: unknown;
            };
            /** @description For `document`. */
            document?: {
                /** @description The id of an upload under the same number. */
                id?: string;
                /** Format: uri */
                link?: string;
                caption?: string;
                filename?: string;
            } & {
                [key: string]: unknown;
            };
            /** @description For `sticker`. */
            sticker?: {
                /** @description The id of an upload under the same number. */
                id?: string;
                /** Format: uri */
                link?: string;
            } & {
                [key: string]: unknown;
            };
            /** @description For `location`. */
            location?: {
                latitude?: number | string;
                longitude?: number | string;
                name?: string;
                address?: string;
            } & {
                [key: string]: unknown;
            };
            /** @description For `contacts`. */
            contacts?: {
                [key: string]: unknown;
            }[];
            /** @description For `interactive`. */
            interactive?: {
                type?: string;
            } & {
                [key: string]: unknown;
            };
            /** @description For `reaction`. */
            reaction?: {
                /** @description The message to react to: the platform's id, or an id of this API, which is replaced by the platform's. */
                message_id?: string;
                emoji?: string;
            } & {
                [key: string]: unknown;
            };
            context?: {
                /** @description The message to answer: The message to react to: the platform's id, or an id of this API, which is replaced by the platform's. */
                message_id: string;
            } & {
                [key: string]: unknown;
            };
            /** @description Returned with the events of the message. Up to 4,096 characters; the platform refuses more than 512. */
            biz_opaque_callback_data?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Stored durably; poll `GET /v1/messages/{id}`. */
        SendAnswer: {
            /** @enum {string} */
            messaging_product: "whatsapp";
            contacts: {
                input: string;
                /** @description Of a message to a phone number. */
                wa_id?: string;
                /** @description Of a message to a user id. */
                user_id?: string;
            }[];
            messages: {
                /** Format: uuid */
                id: string;
                /** @enum {string} */
                message_status: "queued";
            }[];
        };
        /** @description Mark as read, with or without a typing indicator. Sent directly, not queued. */
        MarkAsReadRequest: {
            /** @enum {string} */
            messaging_product?: "whatsapp";
            /** @enum {string} */
            status: "read";
            /** @description The inbound message: The message to react to: the platform's id, or an id of this API, which is replaced by the platform's. */
            message_id: string;
            typing_indicator?: {
                /** @enum {string} */
                type: "text";
            };
        };
        /** @description A template of the category MARKETING. Forwarded as sent, byte for byte. */
        MarketingSendRequest: {
            /**
             * @description Added if absent.
             * @enum {string}
             */
            messaging_product?: "whatsapp";
            /** @enum {string} */
            recipient_type?: "individual";
            /** @description The recipient with a leading `+` and country code; spaces, hyphens, dots and parentheses may stand between digits. Required, unless `recipient` is given. */
            to?: string;
            /** @description The user id of a recipient whose number you do not know. `to` comes first where both are given. */
            recipient?: string;
            /** @enum {string} */
            type: "template";
            /** @description For `template`. */
            template?: {
                name: string;
                language?: {
                    code: string;
                } & {
                    [key: string]: unknown;
                };
                components?: {
                    [key: string]: unknown;
                }[];
            } & {
                [key: string]: unknown;
            };
            /**
             * @description With `STRICT` the platform delivers the message by its marketing product or not at all.
             * @enum {unknown}
             */
            product_policy?: "CLOUD_API_FALLBACK" | "STRICT";
            message_activity_sharing?: boolean;
            /** @description Returned with the events of the message. Up to 4,096 characters; the platform refuses more than 512. */
            biz_opaque_callback_data?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The message. */
        Message: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            account_id: string;
            /** @description The platform's own id. */
            message_id: string | null;
            /** @description Stable for our number and the person, or the group. */
            conversation_id: string;
            direction: "outbound" | "inbound";
            /**
             * @description `api`: sent or received through the gateway; `agent`: in a conversation that a business agent holds; `app`: sent from the WhatsApp Business app; `history`: handed over when the number was connected.
             * @enum {unknown}
             */
            origin: "api" | "agent" | "app" | "history";
            /** @description The group that an inbound message was written in. */
            group_id?: string;
            message_type: string;
            recipient_phone: string | null;
            sender_phone: string | null;
            /** @description The person's user id, once it is known: sent to, written from, or reported with a status. */
            user_id: string | null;
            template_name?: string;
            content: {
                [key: string]: unknown;
            };
            components?: {
                [key: string]: unknown;
            }[];
            /** @description `queued`, `sent`, `delivered`, `read`, `failed`; `received` for inbound messages. */
            status: string;
            /** @description While `status` is `sent`: the platform's own word in its answer to the send. With `held_for_quality_assessment` or `paused` it holds the message back, and delivers it later or drops it (`failed` with 132015). Other words are possible. Null if it gave none, and after it has reported a status. */
            upstream_status: string | null;
            conversation_category: string | null;
            pricing_type: string | null;
            sent_at: string | null;
            delivered_at: string | null;
            read_at: string | null;
            /** Format: date-time */
            created_at: string;
            error_code?: string;
            error_message?: string;
        };
        /** @description The window as it is now. */
        Window: {
            /** @description True if free-form messages can be sent now. */
            open: boolean;
            /** @description The last act that opened or refreshed it; null while it is closed. */
            opened_by: "message" | "call" | null;
            opened_at: string | null;
            expires_at: string | null;
        };
        /** @description The opt-out. */
        OptOut: {
            /** Format: uuid */
            id: string;
            /** @description The number that may send no marketing to the person. */
            phone_number_id: string;
            /** @description Digits of the person's phone number; null if only the user id is known. */
            person: string | null;
            user_id: string | null;
            /**
             * @description `api`: added by a call; `platform`: the person stopped marketing in WhatsApp; `keyword`: the person wrote a stop word.
             * @enum {unknown}
             */
            source: "api" | "platform" | "keyword";
            /** Format: date-time */
            opted_out_at: string;
        };
        /** @description The person and the number. */
        OptOutRequest: {
            /** @description The numeric ID of the sending number. */
            phone_number_id: string;
            /** @description The person's phone number with country code, with or without `+`, or the person's user id. */
            person: string;
        };
        /** @description An event. */
        Event: {
            /** @description Same as the header `webhook-id` of its deliveries. */
            id: string;
            type: string;
            /** Format: date-time */
            timestamp: string;
            data: {
                [key: string]: unknown;
            };
        };
        CancelRequest: {
            /** @description Messages from this number: its numeric ID. */
            number?: string;
            /** @description Messages to this person, however addressed: the number's digits in any spelling. */
            recipient?: string;
            /** @description Messages to the person with this user id, however addressed. */
            user_id?: string;
            /** @description `text`, `template`, `image` … */
            type?: string;
            /** @description Messages of the template with this name. */
            template?: string;
            /** @description Messages sent with exactly this. */
            biz_opaque_callback_data?: string;
            /** @description Accepted at this moment or later, ISO 8601. */
            from?: string;
            /** @description Accepted before this moment, ISO 8601. */
            to?: string;
            /** @description As an earlier answer gave it. */
            after?: string;
        };
        /** @description The receipt. */
        ErasureReceipt: {
            /** Format: uuid */
            id: string;
            /** @enum {unknown} */
            status: "running";
            /** Format: date-time */
            requested_at: string;
        };
        /** @description The erasure. It does not name the person. */
        Erasure: {
            /** Format: uuid */
            id: string;
            /**
             * @description `waiting` for messages to the person that are being sent, and for webhooks that are being applied.
             * @enum {unknown}
             */
            status: "waiting" | "running" | "done";
            /** @description Messages erased. */
            messages: number;
            /** @description Events deleted. */
            events: number;
            /** @description Stored webhooks of the platform deleted. */
            payloads: number;
            /** Format: date-time */
            requested_at: string;
            finished_at: string | null;
        };
        /** @description One page of the stored data. */
        PersonData: {
            /** @description Phone numbers in every spelling, digits. */
            phone_numbers: string[];
            user_ids: string[];
            windows: {
                phone_number_id: string | null;
                /** Format: date-time */
                last_inbound_at: string;
                /** @description The person's contact object as the platform reported it last. */
                contact: {
                    [key: string]: unknown;
                } | null;
            }[];
            /** @description Opt-outs in force. */
            opt_outs: components["schemas"]["OptOut"][];
            /** @description Messages as `GET /v1/messages` lists them, newest first. */
            messages: {
                [key: string]: unknown;
            }[];
            /** @description The `after` of the next page; null at the end. */
            next: string | null;
        };
        WebhookEndpointRequest: {
            /** @description Address that receives the events: https, on a public address, port 443 or 8443. Redirects are failures. */
            url: string;
            description?: string | null;
            events?: ("message.queued" | "message.sent" | "message.delivered" | "message.read" | "message.failed" | "message.received" | "template.status_updated" | "template.category_updated" | "template.quality_updated" | "number.updated" | "account.updated" | "upstream.other" | "webhook.disabled" | "message.updated" | "message.standby" | "message.echoed" | "window.closing" | "configuration.changed" | "opt_out.created" | "opt_out.removed")[] | null;
            phone_number_ids?: string[] | null;
            waba_ids?: string[] | null;
            /**
             * @description `standard`: Standard Webhooks 1.0.0. `cloud_api`: the platform's own payloads, signed like its webhooks; only events that the platform has a webhook for. Default `standard`.
             * @enum {unknown}
             */
            format?: "standard" | "cloud_api";
            /**
             * @description `ed25519` for the format `standard` only. Default `hmac`.
             * @enum {unknown}
             */
            signing?: "hmac" | "ed25519";
            /**
             * @description Ids of sent messages in the format `cloud_api` (`statuses[].id`, and `context.id` and `reaction.message_id` of people's messages). `upstream`: the platform's own id. `gateway`: `messages[0].id` of the answer to the send, for code that looks messages up by it, with the platform's id beside it as `wamid`. Default `upstream`.
             * @enum {unknown}
             */
            message_ids?: "upstream" | "gateway";
            /**
             * @description Notation of people's numbers in the format `cloud_api` (`from`, `wa_id`, `recipient_id` and all others). `upstream`: digits alone, as the platform writes them. `e164`: with the `+` that `to` needs, for code that answers to `from` unchanged. Code that compares numbers with `wa_id` of the answer to a send also needs the organization's setting `phone_numbers`. Default `upstream`.
             * @enum {unknown}
             */
            phone_numbers?: "upstream" | "e164";
            /** @description One delivery at a time per conversation, in the order of events: a failing delivery holds up the next ones. Default false. */
            ordered?: boolean;
            rate_per_second?: number | null;
        };
        /** @description The endpoint with its secret. */
        WebhookEndpointWithSecret: {
            /** Format: uuid */
            id: string;
            url: string;
            description: string | null;
            events: string[] | null;
            phone_number_ids: string[] | null;
            waba_ids: string[] | null;
            /** @enum {unknown} */
            format: "standard" | "cloud_api";
            /** @enum {unknown} */
            signing: "hmac" | "ed25519";
            /** @enum {unknown} */
            message_ids: "upstream" | "gateway";
            /** @enum {unknown} */
            phone_numbers: "upstream" | "e164";
            ordered: boolean;
            rate_per_second: number | null;
            /** @description `whpk_…`, the key that verifies signatures; `ed25519` only. */
            public_key?: string;
            /**
             * @description `failing`: only probed, because ten attempts in a row have failed. Waiting deliveries are kept.
             * @enum {unknown}
             */
            status: "enabled" | "failing" | "disabled";
            disabled_at: string | null;
            disabled_reason: ("owner" | "gone" | "failing") | null;
            failing_since: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description The secret that verifies signatures, shown only in this answer: `whsec_…`, or for `cloud_api` a text that serves as the app secret. Absent with `ed25519`, which `public_key` verifies. */
            secret?: string;
        };
        /** @description The endpoint. */
        WebhookEndpoint: {
            /** Format: uuid */
            id: string;
            url: string;
            description: string | null;
            events: string[] | null;
            phone_number_ids: string[] | null;
            waba_ids: string[] | null;
            /** @enum {unknown} */
            format: "standard" | "cloud_api";
            /** @enum {unknown} */
            signing: "hmac" | "ed25519";
            /** @enum {unknown} */
            message_ids: "upstream" | "gateway";
            /** @enum {unknown} */
            phone_numbers: "upstream" | "e164";
            ordered: boolean;
            rate_per_second: number | null;
            /** @description `whpk_…`, the key that verifies signatures; `ed25519` only. */
            public_key?: string;
            /**
             * @description `failing`: only probed, because ten attempts in a row have failed. Waiting deliveries are kept.
             * @enum {unknown}
             */
            status: "enabled" | "failing" | "disabled";
            disabled_at: string | null;
            disabled_reason: ("owner" | "gone" | "failing") | null;
            failing_since: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** @description Absent members stay as they are. */
        WebhookEndpointPatch: {
            /** @description Address that receives the events: https, on a public address, port 443 or 8443. Redirects are failures. */
            url?: string;
            description?: string | null;
            events?: ("message.queued" | "message.sent" | "message.delivered" | "message.read" | "message.failed" | "message.received" | "template.status_updated" | "template.category_updated" | "template.quality_updated" | "number.updated" | "account.updated" | "upstream.other" | "webhook.disabled" | "message.updated" | "message.standby" | "message.echoed" | "window.closing" | "configuration.changed" | "opt_out.created" | "opt_out.removed")[] | null;
            phone_number_ids?: string[] | null;
            waba_ids?: string[] | null;
            /**
             * @description Ids of sent messages in the format `cloud_api` (`statuses[].id`, and `context.id` and `reaction.message_id` of people's messages). `upstream`: the platform's own id. `gateway`: `messages[0].id` of the answer to the send, for code that looks messages up by it, with the platform's id beside it as `wamid`. Default `upstream`.
             * @enum {unknown}
             */
            message_ids?: "upstream" | "gateway";
            /**
             * @description Notation of people's numbers in the format `cloud_api` (`from`, `wa_id`, `recipient_id` and all others). `upstream`: digits alone, as the platform writes them. `e164`: with the `+` that `to` needs, for code that answers to `from` unchanged. Code that compares numbers with `wa_id` of the answer to a send also needs the organization's setting `phone_numbers`. Default `upstream`.
             * @enum {unknown}
             */
            phone_numbers?: "upstream" | "e164";
            /** @description One delivery at a time per conversation, in the order of events: a failing delivery holds up the next ones. Default false. */
            ordered?: boolean;
            rate_per_second?: number | null;
            /**
             * @description Lets everything wait. `POST …/enable` undoes it.
             * @enum {boolean}
             */
            disabled?: true;
        };
        DeliveryAttempt: {
            /**
             * Format: date-time
             * @description Time of its end.
             */
            at: string;
            http_status: number | null;
            failure: string | null;
            latency_ms: number;
            answer: string | null;
        };
        Delivery: {
            /** @description Also the `webhook-id` of every attempt. */
            event_id: string;
            event_type: string;
            /**
             * Format: date-time
             * @description When the event was recorded, to the second.
             */
            recorded_at: string;
            /** @enum {unknown} */
            status: "pending" | "delivered" | "failed";
            /** @description For a pending delivery with failed attempts. */
            next_attempt_at: string | null;
            settled_at: string | null;
            /** @description Oldest first; the last 36 of a delivery that was replayed many times. */
            attempts: components["schemas"]["DeliveryAttempt"][];
        };
        ReplayRequest: {
            event_id: string;
        } | {
            /** @description ISO 8601 with its offset from UTC. */
            from: string;
            /** @description ISO 8601 with its offset from UTC. */
            to?: string;
            /** @description `next.after` of an earlier answer. */
            after?: string;
        } | {
            /** @description ISO 8601 with its offset from UTC. */
            failed_since: string;
            /** @description `next.after` of an earlier answer. */
            after?: string;
        };
        GraphTemplate: {
            id: string;
            name?: string;
            language?: string;
            category?: string;
            status?: string;
            parameter_format?: string;
            /** @description In the platform's format, forwarded as sent. A value of `example.header_handle`, at any depth, that starts with a scheme or `/` or contains white space is fetched and replaced by an upload handle. */
            components?: {
                [key: string]: unknown;
            }[];
            quality_score?: {
                score: string;
                date: number;
            };
        } & {
            [key: string]: unknown;
        };
        /** @description The template, with every other field that was sent or that the platform reports. */
        Template: {
            id: string;
            waba_id: string;
            name: string;
            language: string;
            category: string;
            /** @description The platform's own word; only `APPROVED` can be sent. */
            status: string;
            parameter_format: string | null;
            /** @description In the platform's format, forwarded as sent. A value of `example.header_handle`, at any depth, that starts with a scheme or `/` or contains white space is fetched and replaced by an upload handle. */
            components: {
                [key: string]: unknown;
            }[];
            quality_score: string | null;
            rejected_reason: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A sending number, as last read from the platform. */
        PhoneNumberNode: {
            id: string;
            verified_name?: string;
            display_phone_number?: string;
            quality_rating?: string;
            throughput?: {
                level: string;
            };
            /** @description Shown when asked for. */
            status?: string;
            /** @description Shown when asked for. */
            is_on_biz_app?: boolean;
            /** @description Shown on request, after a webhook has reported it. */
            messaging_limit_tier?: string;
            /** @description Shown on request, after a webhook has reported it. */
            whatsapp_business_manager_messaging_limit?: string;
        };
        /** @description A business account. */
        BusinessAccountNode: {
            id: string;
        };
        /** @description A media object, uploaded or received. */
        MediaNode: {
            /** @enum {string} */
            messaging_product?: "whatsapp";
            /**
             * Format: uri
             * @description Address of the file, for the same API key.
             */
            url?: string;
            mime_type?: string;
            sha256?: string;
            file_size?: number;
            id: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The check passed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ok";
                    };
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The check passed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ok";
                    };
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics of this process. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    whoAmI: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller. `id` is null for ADMIN_TOKEN. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string | null;
                        name: string;
                        /** @enum {unknown} */
                        role: "support" | "operator" | "admin";
                        expires_at: string | null;
                    };
                };
            };
        };
    };
    listOperators: {
        parameters: {
            query?: {
                /** @description `next` of an earlier answer. */
                after?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Operator"][];
                        /** @description The `after` of the next page; null at the end. */
                        next: string | null;
                    };
                };
            };
        };
    };
    createOperator: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OperatorRequest"];
            };
        };
        responses: {
            /** @description The operator and the new token. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatorWithToken"];
                };
            };
        };
    };
    getOperator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operator. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operator"];
                };
            };
        };
    };
    revokeOperator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateOperator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        /** @description Absent members stay as they are. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["OperatorPatch"];
            };
        };
        responses: {
            /** @description The operator. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operator"];
                };
            };
        };
    };
    rotateOperatorToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        /** @description May be left out. */
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Seconds for which the present token works beside the new one. Default 0. */
                    overlap_seconds?: number;
                };
            };
        };
        responses: {
            /** @description The operator and the new token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatorWithToken"];
                };
            };
        };
    };
    listApps: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All further apps. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The app of `UPSTREAM_APP_ID`, which is not in the list; null if it is not set. */
                        default_app_id: string | null;
                        data: components["schemas"]["MetaApp"][];
                    };
                };
            };
        };
    };
    createApp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AppRequest"];
            };
        };
        responses: {
            /** @description The app. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetaApp"];
                };
            };
        };
    };
    getApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The app. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetaApp"];
                };
            };
        };
    };
    deleteApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
            };
            cookie?: never;
        };
        /** @description Absent members stay as they are. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["AppPatch"];
            };
        };
        responses: {
            /** @description The app. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetaApp"];
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** @description The organization; `none` stands for changes that belong to no organization. */
                organization_id?: string;
                /** @description Only changes by this operation. */
                operation?: string;
                /** @description Only changes by this operator or key, by its id. */
                actor?: string;
                /** @description Only changes of the object with this id. */
                object?: string;
                /** @description Only changes from this time on, ISO 8601. */
                from?: string;
                /** @description Only changes before this time, ISO 8601. */
                to?: string;
                /** @description `next` of an earlier answer. */
                after?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditedChangePage"];
                };
            };
        };
    };
    listOwnAudit: {
        parameters: {
            query?: {
                /** @description Only changes by this operation. */
                operation?: string;
                /** @description Only changes by this operator or key, by its id. */
                actor?: string;
                /** @description Only changes of the object with this id. */
                object?: string;
                /** @description Only changes from this time on, ISO 8601. */
                from?: string;
                /** @description Only changes before this time, ISO 8601. */
                to?: string;
                /** @description `next` of an earlier answer. */
                after?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditedChangePage"];
                };
            };
        };
    };
    verifyAudit: {
        parameters: {
            query?: {
                /** @description The organization; `none` stands for changes that belong to no organization. */
                organization_id?: string;
                /** @description Place of a row that was noted earlier. */
                sequence?: number;
                /** @description Its digest, which the row must still have. */
                digest?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The verdict. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditVerdict"];
                };
            };
        };
    };
    verifyOwnAudit: {
        parameters: {
            query?: {
                /** @description Place of a row that was noted earlier. */
                sequence?: number;
                /** @description Its digest, which the row must still have. */
                digest?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The verdict. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditVerdict"];
                };
            };
        };
    };
    listOrganizations: {
        parameters: {
            query?: {
                /** @description `next` of an earlier answer. */
                after?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Organization"][];
                        /** @description The `cursor` of the next page; null at the end. */
                        next: string | null;
                    };
                };
            };
        };
    };
    createOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrganizationRequest"];
            };
        };
        responses: {
            /** @description The organization. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    getOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The organization. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    closeOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Closed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        /** @description Absent members stay as they are. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrganizationPatch"];
            };
        };
        responses: {
            /** @description The organization. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    getPlan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plan in effect. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plan"];
                };
            };
        };
    };
    setPlan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        /** @description Absent members stay as they are; `null` is unlimited. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlanRequest"];
            };
        };
        responses: {
            /** @description The plan in effect. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plan"];
                };
            };
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /** @description `YYYY-MM` (UTC); the current month when absent. */
                month?: string;
                /** @description Adds `groups`, by one or more of `api_key`, `template`, `country`, `category`, `pricing_type`, `number`, separated by commas. */
                group_by?: string;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The usage of the month. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Usage"];
                };
            };
        };
    };
    getOwnUsage: {
        parameters: {
            query?: {
                /** @description `YYYY-MM` (UTC); the current month when absent. */
                month?: string;
                /** @description Adds `groups`, by one or more of `api_key`, `template`, `country`, `category`, `pricing_type`, `number`, separated by commas. */
                group_by?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The usage of the month. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Usage"];
                };
            };
        };
    };
    getUsageDays: {
        parameters: {
            query?: {
                /** @description `YYYY-MM` (UTC); the current month when absent. */
                month?: string;
                /** @description `category` or `country`. */
                group_by?: string;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The days of the month. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageDays"];
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description `next` of an earlier answer. */
                after?: string;
                limit?: number;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ApiKey"][];
                        /** @description The `after` of the next page; null at the end. */
                        next: string | null;
                    };
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        /** @description May be left out: a key without limits may do everything that the organization may. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ApiKeyRequest"];
            };
        };
        responses: {
            /** @description The new key. The list of keys has its limits. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewApiKey"];
                };
            };
        };
    };
    disableApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Disabled. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        /** @description Absent members stay as they are. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyPatch"];
            };
        };
        responses: {
            /** @description The key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    rotateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        /** @description May be left out. */
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Seconds for which the present key works beside the new one. Default 86400. */
                    overlap_seconds?: number;
                };
            };
        };
        responses: {
            /** @description The key with its new secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedApiKey"];
                };
            };
        };
    };
    listRates: {
        parameters: {
            query?: {
                /** @description `next` of an earlier answer. */
                after?: string;
                /** @description Number of cards. */
                limit?: number;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of whole cards. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            valid_from: string;
                            category: string;
                            country: string;
                            price: number;
                        }[];
                        /** @description The `after` of the next page; null at the end. */
                        next: string | null;
                    };
                };
            };
        };
    };
    setRates: {
        parameters: {
            query?: {
                /** @description First day of validity (UTC), `YYYY-MM-DD`. */
                valid_from?: string;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        /** @description In place of JSON, `text/csv` with a header of `category`, `country` and `price`; `valid_from` is in the query then. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RateCard"];
            };
        };
        responses: {
            /** @description The rates. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            valid_from: string;
                            category: string;
                            country: string;
                            price: number;
                        }[];
                    };
                };
            };
        };
    };
    deleteRates: {
        parameters: {
            query?: {
                /** @description First day of validity (UTC), `YYYY-MM-DD`. */
                valid_from?: string;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listWabas: {
        parameters: {
            query?: {
                /** @description `next` of an earlier answer. */
                after?: string;
                limit?: number;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page, by id. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            waba_id: string;
                            /** @description The Meta app that its token belongs to; null if that is the app of the environment and `UPSTREAM_APP_ID` is not set. */
                            app_id: string | null;
                            /** @description True if the app is subscribed to the webhooks of the business account; otherwise none arrives. Null if the platform has not reported it. */
                            webhooks_subscribed: boolean | null;
                            marketing_messages: components["schemas"]["MarketingUse"];
                            numbers: components["schemas"]["ListedNumber"][];
                        }[];
                        /** @description The `after` of the next page; null at the end. */
                        next: string | null;
                    };
                };
            };
        };
    };
    connectWaba: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConnectAccountRequest"];
            };
        };
        responses: {
            /** @description The business account as it was just read. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BusinessAccount"];
                };
            };
        };
    };
    syncWaba: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                waba_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The business account as it was just read. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BusinessAccount"];
                };
            };
        };
    };
    disconnectWaba: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                waba_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Disconnected. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateWaba: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                waba_id: string;
            };
            cookie?: never;
        };
        /** @description Absent members stay as they are. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["BusinessAccountPatch"];
            };
        };
        responses: {
            /** @description The business account. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        waba_id: string;
                        /** @description The Meta app that its token belongs to; null if that is the app of the environment and `UPSTREAM_APP_ID` is not set. */
                        app_id: string | null;
                        marketing_messages: components["schemas"]["MarketingUse"];
                    };
                };
            };
        };
    };
    updateNumber: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                phone_number_id: string;
            };
            cookie?: never;
        };
        /** @description Absent members stay as they are. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NumberPatch"];
            };
        };
        responses: {
            /** @description The number. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendingNumber"];
                };
            };
        };
    };
    listOnboardings: {
        parameters: {
            query?: {
                /** @description `next` of an earlier answer. */
                after?: string;
                limit?: number;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Onboarding"][];
                        next: string | null;
                    };
                };
            };
        };
    };
    beginOnboarding: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        /** @description Either `access_token` or `code`. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["OnboardingRequest"];
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Onboarding"];
                };
            };
        };
    };
    getOnboarding: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Onboarding"];
                };
            };
        };
    };
    endOnboarding: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ended. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    repeatOnboardingStep: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                id: string;
                /** @description Name of the step. */
                step: string;
            };
            cookie?: never;
        };
        /** @description Values that replace those of the onboarding. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["OnboardingRepeat"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Onboarding"];
                };
            };
        };
    };
    takeOnboardingPin: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The PIN. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        pin: string;
                    };
                };
            };
        };
    };
    listSetupLinks: {
        parameters: {
            query?: {
                /** @description `next` of an earlier answer. */
                after?: string;
                limit?: number;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["SetupLink"][];
                        next: string | null;
                    };
                };
            };
        };
    };
    createSetupLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SetupLinkRequest"];
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetupLinkWithUrl"];
                };
            };
        };
    };
    revokeSetupLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    runDoctor: {
        parameters: {
            query?: {
                /** @description Only this organization and the deployment. */
                organization_id?: string;
                /** @description Only this business account and the deployment. */
                waba_id?: string;
                /** @description Only this check. */
                check?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All findings, in the order of the documentation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        findings: components["schemas"]["DoctorFinding"][];
                    };
                };
            };
        };
    };
    fixFindings: {
        parameters: {
            query?: {
                /** @description Only this organization and the deployment. */
                organization_id?: string;
                /** @description Only this business account and the deployment. */
                waba_id?: string;
                /** @description Only this check. */
                check?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every attempted repair. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        fixes: {
                            id: string;
                            subject: string;
                            done: boolean;
                            message: string;
                        }[];
                    };
                };
            };
        };
    };
    getQueue: {
        parameters: {
            query?: {
                organization_id?: string;
                phone_number_id?: string;
                /** @description If more numbers have waiting messages, the answer has those with the most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every number with something queued, up to the limit. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description Time of the count. A long queue is counted again only after a while.
                         */
                        counted_at: string;
                        /** @description Number of all numbers with waiting messages. */
                        numbers_waiting: number;
                        numbers: {
                            organization_id: string;
                            phone_number_id: string;
                            queued: number;
                            oldest_wait_seconds: number;
                            /** @description The number's pace: messages a second that it may send now. */
                            messages_per_second: number;
                            /** @description Messages a second that it has sent in the last seconds. */
                            used_per_second: number;
                            /** @description `pacing`, `pair limit`, `on its way` (not answered yet), `retry`, `unknown outcome`, `paused`, `parked: …` with its reason, `disconnected` (its messages are being ended), `being taken over` (this node reads its queue), `another node` (which knows the reason), or `no node` (no dispatching node has the number). */
                            waits_for: string[];
                            /** @description When that ends by itself, ISO 8601, or `someone acts`; null while it is not parked, or until the platform has answered. */
                            parked_until: string | null;
                            flows: {
                                /** @description Null for sends of operators. */
                                api_key_id: string | null;
                                traffic_class: string;
                                queued: number;
                                oldest_wait_seconds: number;
                            }[];
                        }[];
                    };
                };
            };
        };
    };
    getNextMessages: {
        parameters: {
            query?: {
                /** @description Messages of each node in each list. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every node with messages that wait. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        nodes: {
                            id: string;
                            /**
                             * Format: date-time
                             * @description Time of the reading. Other nodes than the one that answers report theirs every five seconds.
                             */
                            read_at: string;
                            turns: {
                                organization_id: string;
                                phone_number_id: string;
                                message_id: string;
                                /** @description Null for sends of operators. */
                                api_key_id: string | null;
                                traffic_class: string;
                                /** Format: date-time */
                                accepted_at: string;
                                /** Format: date-time */
                                expected_at: string;
                            }[];
                            /** @description Messages that cannot go whatever their turn: a few of each number. */
                            kept_back: {
                                organization_id: string;
                                phone_number_id: string;
                                message_id: string;
                                /** @description Null for sends of operators. */
                                api_key_id: string | null;
                                traffic_class: string;
                                /** Format: date-time */
                                accepted_at: string;
                                /** @description `paused`, `parked: …` with its reason, `pair limit`, `retry`, `unknown outcome`, or `on its way` (as many of the number's messages as may be are not answered yet). */
                                waits_for: string;
                                /** @description When that ends by itself; null if that is not known. */
                                until: string | null;
                            }[];
                        }[];
                    };
                };
            };
        };
    };
    getOverview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        at: string;
                        /** @description One entry for each minute, oldest first. The last two still grow. */
                        minutes: {
                            /** Format: date-time */
                            at: string;
                            accepted: number;
                            sent: number;
                            delivered: number;
                            failed: number;
                        }[];
                        /** @description Messages that wait on all nodes, of these the ones whose outcome is unknown, and the wait of the oldest. Counted at most every ten seconds; null if the count failed. */
                        queue: {
                            waiting: number;
                            held: number;
                            oldest_wait_seconds: number;
                        } | null;
                        /** @description Age of the oldest event that waits for its delivery, and the endpoints with such events. */
                        webhooks: {
                            oldest_wait_seconds: number;
                            endpoints_waiting: number;
                        };
                        nodes: {
                            /** Format: uuid */
                            id: string;
                            /** @description False for a node that ended without giving back its work. */
                            alive: boolean;
                            /** Format: date-time */
                            started_at: string;
                            /** Format: date-time */
                            seen_at: string;
                            /** @description `api`, `dispatch`, `deliver`. */
                            roles: string[];
                            /** @description Shards of the queues that it works on. */
                            shards: number;
                            /** @description The node's own figures, a few seconds old; null before its first report. */
                            report: {
                                sent_per_second: number;
                                in_flight: number;
                                numbers: number;
                                event_loop_delay_seconds: number;
                                memory_bytes: number;
                            } | null;
                        }[];
                        /** @description At most 50 of each kind, the most urgent first. */
                        attention: {
                            /** @description `account_parked`, `number_parked`, `number_paused`, `endpoint_disabled`, `endpoint_failing`, `node_lost`, `no_dispatch` or `webhooks_pending`. */
                            kind: string;
                            /** @description The platform's id of a number or account, or the id of an endpoint or a node. */
                            subject: string;
                            organization_id: string | null;
                            since: string | null;
                            reason: string;
                            /** @description The call that repairs it, as soon as its cause is gone. A path below `/v1` needs the header `Fairway-Organization`. */
                            repair: {
                                method: string;
                                path: string;
                                /** @description Null if the call has no body, or if you supply it: the new token of an account. */
                                body: {
                                    [key: string]: unknown;
                                } | null;
                            } | null;
                        }[];
                    };
                };
            };
        };
    };
    listUpstreamPayloads: {
        parameters: {
            query?: {
                /** @description `next` of an earlier answer. */
                after?: string;
                /** @description Received at this moment or later. */
                from?: string;
                /** @description Received before this moment. */
                to?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. Large payloads make it shorter than `limit`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            id: number;
                            /** Format: date-time */
                            received_at: string;
                            /** @description True if it is not applied yet. */
                            pending: boolean;
                            /** @description The reason for which it could not be applied. */
                            failure: string | null;
                            payload?: {
                                [key: string]: unknown;
                            };
                            /** @description In place of `payload`, when that is no JSON object. */
                            payload_base64?: string;
                        }[];
                        /** @description The `after` of the next call; unchanged if there was nothing more. */
                        next: string;
                    };
                };
            };
        };
    };
    replayUpstreamPayloads: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: date-time
                     * @description Payloads received at this moment or later.
                     */
                    from: string;
                    /**
                     * Format: date-time
                     * @description Payloads received before this moment.
                     */
                    to: string;
                };
            };
        };
        responses: {
            /** @description Accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description How many are applied again. */
                        payloads: number;
                    };
                };
            };
        };
    };
    markAsRead: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The numeric ID of the sending number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        /** @description Mark as read, with or without a typing indicator. Sent directly, not queued. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["MarkAsReadRequest"];
            };
        };
        responses: {
            /** @description The platform accepted it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                    };
                };
            };
        };
    };
    sendMessage: {
        parameters: {
            query?: {
                /** @description Waits up to 10 seconds for the platform to accept the message. */
                sync?: boolean;
            };
            header?: never;
            path: {
                /** @description The numeric ID of the sending number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        /** @description The platform's own message body, with the object that `type` names. Forwarded as sent, byte for byte, except that ids of this API which name other messages are replaced. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendRequest"];
            };
        };
        responses: {
            /** @description With `sync=true`: the platform accepted the message in time. Or: the message is marked as read. */
            200: {
                headers: {
                    /** @description Present if this is the message of an earlier request with the same key. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        messaging_product: "whatsapp";
                        contacts: {
                            input: string;
                            /** @description Of a message to a phone number. */
                            wa_id?: string;
                            /** @description Of a message to a user id. */
                            user_id?: string;
                        }[];
                        messages: {
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            message_status: "sent";
                            wamid: string;
                            /** @description The platform's own word in its answer, unless it is `accepted`. With `held_for_quality_assessment` or `paused` the platform holds the message back, and may still drop it. */
                            upstream_status?: string;
                        }[];
                    } | {
                        /** @enum {boolean} */
                        success: true;
                    };
                };
            };
            /** @description Stored durably; poll `GET /v1/messages/{id}`. */
            202: {
                headers: {
                    /** @description Present if this is the message of an earlier request with the same key. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendAnswer"];
                };
            };
        };
    };
    sendMarketingMessage: {
        parameters: {
            query?: {
                /** @description Waits up to 10 seconds for the platform to accept the message. */
                sync?: boolean;
            };
            header?: never;
            path: {
                /** @description The numeric ID of the sending number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        /** @description A template of the category MARKETING. Forwarded as sent, byte for byte. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["MarketingSendRequest"];
            };
        };
        responses: {
            /** @description With `sync=true`: the platform accepted the message in time. Or: the message is marked as read. */
            200: {
                headers: {
                    /** @description Present if this is the message of an earlier request with the same key. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        messaging_product: "whatsapp";
                        contacts: {
                            input: string;
                            /** @description Of a message to a phone number. */
                            wa_id?: string;
                            /** @description Of a message to a user id. */
                            user_id?: string;
                        }[];
                        messages: {
                            /** Format: uuid */
                            id: string;
                            /** @enum {string} */
                            message_status: "sent";
                            wamid: string;
                            /** @description The platform's own word in its answer, unless it is `accepted`. With `held_for_quality_assessment` or `paused` the platform holds the message back, and may still drop it. */
                            upstream_status?: string;
                        }[];
                    } | {
                        /** @enum {boolean} */
                        success: true;
                    };
                };
            };
            /** @description Stored durably; poll `GET /v1/messages/{id}`. */
            202: {
                headers: {
                    /** @description Present if this is the message of an earlier request with the same key. */
                    "Idempotent-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendAnswer"];
                };
            };
        };
    };
    listMessages: {
        parameters: {
            query?: {
                /** @description `next` of an earlier answer. */
                after?: string;
                /** @description Messages of this number: its numeric ID. */
                number?: string;
                /** @description Messages to or from this person: the number's digits in any spelling. Messages under the person's other names are found, too. */
                recipient?: string;
                /** @description Messages to or from the person with this user id, also those under the person's phone number. */
                user_id?: string;
                /** @description `queued`, `sent`, `delivered`, `read`, `failed` or `received`. */
                status?: string;
                /** @description `text`, `template`, `image` … */
                type?: string;
                /** @description Messages of the template with this name. */
                template?: string;
                direction?: "outbound" | "inbound";
                /** @description Accepted or received at this moment or later. */
                from?: string;
                /** @description Accepted or received before this moment. */
                to?: string;
                /** @description Messages that failed with this code. */
                error_code?: string;
                /** @description The message with this id of the platform (a wamid). */
                message_id?: string;
                /** @description Messages sent with exactly this. */
                biz_opaque_callback_data?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Message"][];
                        /** @description The `cursor` of the next page; null at the end. */
                        next: string | null;
                    };
                };
            };
        };
    };
    getMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id answered by the send, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The message. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    getMessageBody: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id answered by the send, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stored bytes. For the role `support`, texts are masked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getWindow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The numeric ID of the sending number. */
                phoneNumberId: string;
                /** @description The person's number with country code, with or without `+`, the person's user id, or the id of a group. */
                person: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The window as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Window"];
                };
            };
        };
    };
    listOptOuts: {
        parameters: {
            query?: {
                /** @description `next` of an earlier answer. */
                after?: string;
                /** @description Opt-outs from this number: its numeric ID. */
                number?: string;
                /** @description Opt-outs of this person: a phone number in any spelling, or a user id. */
                person?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["OptOut"][];
                        /** @description The `after` of the next page; null at the end. */
                        next: string | null;
                    };
                };
            };
        };
    };
    addOptOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The person and the number. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["OptOutRequest"];
            };
        };
        responses: {
            /** @description The person had opted out before. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        /** @description The number that may send no marketing to the person. */
                        phone_number_id: string;
                        /** @description Digits of the person's phone number; null if only the user id is known. */
                        person: string | null;
                        user_id: string | null;
                        /**
                         * @description `api`: added by a call; `platform`: the person stopped marketing in WhatsApp; `keyword`: the person wrote a stop word.
                         * @enum {unknown}
                         */
                        source: "api" | "platform" | "keyword";
                        /** Format: date-time */
                        opted_out_at: string;
                    };
                };
            };
            /** @description The opt-out. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OptOut"];
                };
            };
        };
    };
    removeOptOut: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the opt-out. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ended. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description `next` of an earlier answer; `now` for events from now on; absent for all stored events. */
                after?: string;
                /** @description Seconds to wait for an event when there is none. */
                wait?: number;
                /** @description Types to show, separated by commas: message.queued, message.sent, message.delivered, message.read, message.failed, message.received, template.status_updated, template.category_updated, template.quality_updated, number.updated, account.updated, upstream.other, webhook.disabled, webhook.test, message.updated, message.standby, message.echoed, window.closing, configuration.changed, opt_out.created, opt_out.removed. */
                type?: string;
                /** @description Only events of this number: its numeric ID. */
                number?: string;
                limit?: number;
                /** @description `cloud_api`: `data` is the platform's own payload, as an endpoint in this format gets it. Events without one are left out. */
                format?: "standard" | "cloud_api";
                /** @description Ids of sent messages in the format `cloud_api`, as for an endpoint. */
                message_ids?: "upstream" | "gateway";
                /** @description Notation of people's numbers in the format `cloud_api`, as for an endpoint. */
                phone_numbers?: "upstream" | "e164";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The next events. With filters there may be more although there are fewer than `limit`, or none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Event"][];
                        /** @description The `after` of the next call. */
                        next: string;
                    };
                };
            };
        };
    };
    getMessageTimeline: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id answered by the send, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The timeline. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: ({
                            /** Format: date-time */
                            at: string;
                            /** @description `queued`, `attempt`, `sent`, `delivered`, `read`, `failed`, `received`, `standby`, `echoed`, `updated`, `contradiction` or `webhook`. */
                            what: string;
                            /** @description The event about it. */
                            event_id?: string;
                            sequence?: number;
                            /** @description Source of the entry: the platform's answer to the send, or a webhook. Absent if Fairway caused it. */
                            source?: "answer" | "webhook";
                            message_id?: string | null;
                            /** @description Of a `sent`: the platform's own word in its answer, such as `held_for_quality_assessment`; null if it gave none. */
                            upstream_status?: string | null;
                            /** @description `throttled`, `unavailable`, `unsent`, `blocked` or `unknown`. `error_message` has the reason if it is known: `interrupted` if Fairway was stopped before it received the outcome. Of a `webhook`: `delivered`, `retry` or `failed`. */
                            outcome?: string;
                            /** @description The endpoint a `webhook` was delivered to, or not. */
                            webhook_id?: string;
                            http_status?: number | null;
                            failure?: string | null;
                            latency_ms?: number | null;
                            error_code?: string | null;
                            error_message?: string | null;
                            next_attempt_at?: string | null;
                            /** @description The reported status that contradicts the final one. */
                            told?: string;
                        } & {
                            [key: string]: unknown;
                        })[];
                        /** @description Null once it has left the queue. */
                        waiting: {
                            /** @description `pacing`, `pair limit`, `on its way` (not answered yet), `retry`, `unknown outcome`, `paused`, `parked: …` with its reason, the number of earlier messages to the same recipient (counted up to 1000), `being taken over` by this node, `another node` (which knows the reason), or `no node` (no dispatching node has the number). */
                            reasons: string[];
                            next_attempt_at: string | null;
                            /**
                             * Format: date-time
                             * @description Time at which the message fails as `EXPIRED` unless it was sent: the end of its time to live, or of the organization's longest wait.
                             */
                            expires_at: string;
                        } | null;
                        /** @description Null for a message that the gateway did not send. */
                        price: {
                            /** @description Millionths of the budget's currency unit, as the usage counts them; 0 for a failed message. */
                            micros: number;
                            category: string | null;
                            /** @description Null until the platform reports it. Until then the price is that of the acceptance. */
                            pricing_type: string | null;
                        } | null;
                        /** @description The text that the send carried. */
                        biz_opaque_callback_data: string | null;
                    };
                };
            };
        };
    };
    cancelMessages: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CancelRequest"];
            };
        };
        responses: {
            /** @description Durable. Within seconds each message becomes `failed` with `CANCELLED`, with a `message.failed` event. A message that is in flight at this moment may still become `sent`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Messages that are not going to be sent. */
                        cancelled: number;
                        /** @description The body of the next call, if one call was not enough. */
                        next: {
                            [key: string]: unknown;
                        } | null;
                    };
                };
            };
        };
    };
    cancelMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id answered by the send, a UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Durable. Within seconds each message becomes `failed` with `CANCELLED`, with a `message.failed` event. A message that is in flight at this moment may still become `sent`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Messages that are not going to be sent. */
                        cancelled: number;
                        /** @description The body of the next call, if one call was not enough. */
                        next: {
                            [key: string]: unknown;
                        } | null;
                    };
                };
            };
        };
    };
    erasePerson: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A phone number with country code in any spelling, or a user id. */
                person: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The receipt. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErasureReceipt"];
                };
            };
        };
    };
    getErasure: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The erasure. It does not name the person. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasure"];
                };
            };
        };
    };
    exportPerson: {
        parameters: {
            query?: {
                /** @description `next` of an earlier answer. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description A phone number with country code in any spelling, or a user id. */
                person: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the stored data. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonData"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description `next` of an earlier answer. */
                after?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["WebhookEndpoint"][];
                        /** @description The `cursor` of the next page; null at the end. */
                        next: string | null;
                    };
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEndpointRequest"];
            };
        };
        responses: {
            /** @description The endpoint with its secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointWithSecret"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        /** @description Absent members stay as they are. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEndpointPatch"];
            };
        };
        responses: {
            /** @description The endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    enableWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        /** @description Optional: the endpoint's rate from now on, at which waiting deliveries go out. */
        requestBody?: {
            content: {
                "application/json": {
                    rate_per_second?: number | null;
                };
            };
        };
        responses: {
            /** @description The endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is on its way. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        event_id: string;
                    };
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description How long the old secret signs too. Default 86400. */
                    overlap_seconds?: number;
                };
            };
        };
        responses: {
            /** @description The endpoint with its secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointWithSecret"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description `pending`, `delivered` or `failed`. */
                status?: string;
                /** @description Event types, separated by commas. */
                type?: string;
                /** @description Of events recorded in that second or later. */
                from?: string;
                /** @description Of events recorded before; of a second begun, all are. */
                to?: string;
                /** @description `next` of an earlier answer. */
                after?: string;
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Delivery"][];
                        /** @description The `cursor` of the next page; null at the end. */
                        next: string | null;
                    };
                };
            };
        };
    };
    replayWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplayRequest"];
            };
        };
        responses: {
            /** @description They are on their way. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Number of deliveries queued, without those that waited already. */
                        queued: number;
                        /** @description The body of the next call, if one call was not enough. */
                        next: {
                            [key: string]: unknown;
                        } | null;
                    };
                };
            };
        };
    };
    listSubscriptions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Any id in digits that the client uses as its app. */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The subscriptions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            object: string;
                            callback_url: string;
                            active: boolean;
                            fields: {
                                name: string;
                                version: string;
                            }[];
                        }[];
                    };
                };
            };
        };
    };
    subscribe: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Any id in digits that the client uses as its app. */
                appId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    object: "whatsapp_business_account";
                    /** @description Address that receives the webhooks. */
                    callback_url: string;
                    /** @description Sent as `hub.verify_token`. */
                    verify_token?: string;
                    /** @description Webhook fields, as a list or separated by commas. Default: all that have events of their own. */
                    fields?: string[] | string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                    };
                };
            };
        };
    };
    unsubscribe: {
        parameters: {
            query?: {
                /** @description `whatsapp_business_account`. */
                object?: string;
                /** @description Webhook fields, separated by commas. */
                fields?: string;
            };
            header?: never;
            path: {
                /** @description Any id in digits that the client uses as its app. */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                    };
                };
            };
        };
    };
    listSubscribedApps: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The business account ID. */
                wabaId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The subscriptions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            whatsapp_business_api_data: {
                                id: string;
                                name: string;
                                link: string;
                            };
                            override_callback_uri?: string;
                        }[];
                    };
                };
            };
        };
    };
    subscribeApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The business account ID. */
                wabaId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Address that receives the webhooks. */
                    override_callback_uri?: string;
                    /** @description Sent as `hub.verify_token`. */
                    verify_token?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                    };
                };
            };
        };
    };
    unsubscribeApp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The business account ID. */
                wabaId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                    };
                };
            };
        };
    };
    createTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The business account ID. */
                wabaId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @description An official template language code. */
                    language: string;
                    /** @description In any case, as on the platform. */
                    category: "MARKETING" | "UTILITY" | "AUTHENTICATION" | "marketing" | "utility" | "authentication";
                    /** @description In the platform's format, forwarded as sent. A value of `example.header_handle`, at any depth, that starts with a scheme or `/` or contains white space is fetched and replaced by an upload handle. */
                    components: {
                        [key: string]: unknown;
                    }[];
                    /** @description Worked out from examples and placeholders when absent. */
                    parameter_format?: "NAMED" | "POSITIONAL" | "named" | "positional";
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Created and submitted for review. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @description `PENDING` unless the platform decided at once. */
                        status: string;
                        /** @description As assigned by the platform. */
                        category: string;
                    };
                };
            };
        };
    };
    listMessageTemplates: {
        parameters: {
            query?: {
                /** @description The fields to show, comma separated. */
                fields?: string;
                /** @description Totals to show, separated by commas: `total_count`, `message_template_count`, `message_template_limit`, `are_translations_complete`. They are read from the platform once a minute. */
                summary?: string;
                /** @description The exact name. */
                name?: string;
                /** @description A part of the name or of the components, in any letter case. */
                name_or_content?: string;
                /** @description A part of the components, in any letter case. */
                content?: string;
                /** @description A status, in any letter case. Without it, all but deleted templates. Several: a JSON array of them, or commas in between. */
                status?: string;
                /** @description The exact language code. Several: a JSON array of them, or commas in between. */
                language?: string;
                /** @description A category, in any letter case. Several: a JSON array of them, or commas in between. */
                category?: string;
                /** @description A quality score, in any letter case. Several: a JSON array of them, or commas in between. */
                quality_score?: string;
                /** @description Templates on a page, 1000 at most; fewer if they are large. */
                limit?: number;
                /** @description `paging.cursors.after` of the page before. */
                after?: string;
                /** @description `paging.cursors.before` of the page behind. */
                before?: string;
            };
            header?: never;
            path: {
                /** @description The business account ID. */
                wabaId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["GraphTemplate"][];
                        /** @description Absent when there is nothing to show. */
                        paging?: {
                            cursors: {
                                before: string;
                                after: string;
                            };
                            /**
                             * Format: uri
                             * @description The next page; absent at the end.
                             */
                            next?: string;
                            /** Format: uri */
                            previous?: string;
                        };
                        /** @description The requested totals. */
                        summary?: {
                            total_count?: number;
                            message_template_count?: number;
                            message_template_limit?: number;
                            are_translations_complete?: boolean;
                        } & {
                            [key: string]: unknown;
                        };
                    };
                };
            };
        };
    };
    createMessageTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The business account ID. */
                wabaId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @description An official template language code. */
                    language: string;
                    /** @description In any case, as on the platform. */
                    category: "MARKETING" | "UTILITY" | "AUTHENTICATION" | "marketing" | "utility" | "authentication";
                    /** @description In the platform's format, forwarded as sent. A value of `example.header_handle`, at any depth, that starts with a scheme or `/` or contains white space is fetched and replaced by an upload handle. */
                    components: {
                        [key: string]: unknown;
                    }[];
                    /** @description Worked out from examples and placeholders when absent. */
                    parameter_format?: "NAMED" | "POSITIONAL" | "named" | "positional";
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Created and submitted for review. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @description `PENDING` unless the platform decided at once. */
                        status: string;
                        /** @description As assigned by the platform. */
                        category: string;
                    };
                };
            };
        };
    };
    deleteMessageTemplates: {
        parameters: {
            query?: {
                /** @description Deletes all languages, unless `hsm_id` names one language. */
                name?: string;
                /** @description The id of one language version; needs `name`. */
                hsm_id?: string;
                /** @description A JSON array of up to 100 ids, not together with the others. */
                hsm_ids?: string;
            };
            header?: never;
            path: {
                /** @description The business account ID. */
                wabaId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform has deleted it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                    };
                };
            };
        };
    };
    getTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The platform's id of the template. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The template, with every other field that was sent or that the platform reports. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Template"];
                };
            };
        };
    };
    editTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The platform's id of the template. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description In any case, as on the platform. */
                    category?: "MARKETING" | "UTILITY" | "AUTHENTICATION" | "marketing" | "utility" | "authentication";
                    /** @description In the platform's format, forwarded as sent. A value of `example.header_handle`, at any depth, that starts with a scheme or `/` or contains white space is fetched and replaced by an upload handle. */
                    components?: {
                        [key: string]: unknown;
                    }[];
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform accepted the edit. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        id: string;
                        name: string;
                        category: string;
                    };
                };
            };
        };
    };
    deleteTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The platform's id of the template. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform has deleted it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                    };
                };
            };
        };
    };
    listTemplates: {
        parameters: {
            query?: {
                /** @description A business account. */
                waba_id?: string;
                /** @description The exact name. */
                name?: string;
                /** @description A part of the name or of the components, in any letter case. */
                name_or_content?: string;
                /** @description A part of the components, in any letter case. */
                content?: string;
                /** @description A status, in any letter case. Without it, all but deleted templates. Several: a JSON array of them, or commas in between. */
                status?: string;
                /** @description The exact language code. Several: a JSON array of them, or commas in between. */
                language?: string;
                /** @description A category, in any letter case. Several: a JSON array of them, or commas in between. */
                category?: string;
                /** @description A quality score, in any letter case. Several: a JSON array of them, or commas in between. */
                quality_score?: string;
                /** @description Templates on a page, 1000 at most; fewer if they are large. */
                limit?: number;
                /** @description `paging.cursors.after` of the page before. */
                after?: string;
                /** @description `paging.cursors.before` of the page behind. */
                before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Template"][];
                        /** @description Absent when there is nothing to show. */
                        paging?: {
                            cursors: {
                                before: string;
                                after: string;
                            };
                            /**
                             * Format: uri
                             * @description The next page; absent at the end.
                             */
                            next?: string;
                            /** Format: uri */
                            previous?: string;
                        };
                    };
                };
            };
        };
    };
    getNode: {
        parameters: {
            query?: {
                /** @description Members to show, comma separated. */
                fields?: string;
                /** @description The number a media object must belong to. */
                phone_number_id?: string;
            };
            header?: never;
            path: {
                /** @description The platform's id of a number, a business account, a template or a media object. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The node. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["PhoneNumberNode"] | components["schemas"]["BusinessAccountNode"] | components["schemas"]["GraphTemplate"] | components["schemas"]["MediaNode"]) | {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    editTemplateNode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The platform's id of the template. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description In any case, as on the platform. */
                    category?: "MARKETING" | "UTILITY" | "AUTHENTICATION" | "marketing" | "utility" | "authentication";
                    /** @description In the platform's format, forwarded as sent. A value of `example.header_handle`, at any depth, that starts with a scheme or `/` or contains white space is fetched and replaced by an upload handle. */
                    components?: {
                        [key: string]: unknown;
                    }[];
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform accepted the edit. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        id: string;
                        name: string;
                        category: string;
                    } | {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    deleteMedia: {
        parameters: {
            query?: {
                /** @description The number the media must belong to. Needed for ids not known here with many numbers. */
                phone_number_id?: string;
            };
            header?: never;
            path: {
                /** @description The id of an upload or of received media. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                    } | {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of an upload, with its query. `/v1/{id}` as the platform has it works as well. */
                uploadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    uploadPart: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of an upload, with its query. `/v1/{id}` as the platform has it works as well. */
                uploadId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    uploadMedia: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The sending number, digits with country code, no `+`. */
                    phone_number: string;
                    /**
                     * Format: binary
                     * @description The file, or a `data:<mime>;base64,<payload>` URI, which a form of type `application/x-www-form-urlencoded` may carry, too. Its type is determined from the declared MIME type, then the extension, then the contents, which must be of that type. Supported are JPEG and PNG images up to 5 MiB, WebP stickers (100 KiB, animated 500 KiB), AAC, AMR, MP3, M4A and Ogg Opus audio and MP4 and 3GP video (16 MiB), and as documents plain text, PDF and Microsoft Office (100 MiB).
                     */
                    file: string;
                    /** @description Name the recipient sees. Defaults to the uploaded file's name. */
                    filename?: string;
                };
            };
        };
        responses: {
            /** @description Uploaded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        media_id: string;
                        mime_type: string;
                        bytes: number;
                    };
                };
            };
        };
    };
    uploadMediaToNumber: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The numeric ID of the sending number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description The file, or a `data:<mime>;base64,<payload>` URI, which a form of type `application/x-www-form-urlencoded` may carry, too. Its type is determined from the declared MIME type, then the extension, then the contents, which must be of that type. Supported are JPEG and PNG images up to 5 MiB, WebP stickers (100 KiB, animated 500 KiB), AAC, AMR, MP3, M4A and Ogg Opus audio and MP4 and 3GP video (16 MiB), and as documents plain text, PDF and Microsoft Office (100 MiB).
                     */
                    file: string;
                    /** @description MIME type. Defaults to the type of the file's part. */
                    type?: string;
                    /** @enum {string} */
                    messaging_product?: "whatsapp";
                };
            };
        };
        responses: {
            /** @description Uploaded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                    };
                };
            };
        };
    };
    openUpload: {
        parameters: {
            query?: {
                /** @description Name of the file. */
                file_name?: string;
                /** @description Size of the file in bytes. The platform needs it. */
                file_length?: string;
                /** @description MIME type of the file. The platform needs it. */
                file_type?: string;
                /** @description As the platform's. */
                session_type?: string;
            };
            header?: never;
            path: {
                /** @description The id of an app in digits, or `app`. */
                appId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    downloadMedia: {
        parameters: {
            query?: {
                /** @description The number the media must belong to. Needed for ids not known here with many numbers. */
                phone_number_id?: string;
            };
            header?: never;
            path: {
                /** @description The id of an upload or of received media. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    /** @description Always `attachment`, with the name of the file, or with its id and extension if it has no name. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
        };
    };
    listPhoneNumbers: {
        parameters: {
            query?: {
                /** @description Members to show, comma separated. */
                fields?: string;
                /** @description `paging.cursors.after` of an earlier answer. */
                after?: string;
                /** @description `paging.cursors.before` of an earlier answer. */
                before?: string;
            };
            header?: never;
            path: {
                /** @description The business account ID. */
                wabaId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The numbers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["PhoneNumberNode"][];
                        /** @description Absent if there are no numbers. */
                        paging?: {
                            cursors: {
                                before: string;
                                after: string;
                            };
                        };
                    } | {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    addPhoneNumber: {
        parameters: {
            query?: {
                /** @description As the platform's. */
                cc?: string;
                /** @description As the platform's. */
                phone_number?: string;
                /** @description As the platform's. */
                verified_name?: string;
                /** @description As the platform's. */
                migrate_phone_number?: string;
            };
            header?: never;
            path: {
                /** @description The business account ID. */
                wabaId: string;
            };
            cookie?: never;
        };
        /** @description The platform's own body. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getBusinessProfile: {
        parameters: {
            query?: {
                /** @description Members to show, comma separated: about, address, description, email, profile_picture_url, websites, vertical, id, messaging_product. */
                fields?: string;
            };
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    updateBusinessProfile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        /** @description The platform's own body. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    listBlockedUsers: {
        parameters: {
            query?: {
                /** @description Most items of a page. */
                limit?: number;
                /** @description `paging.cursors.after` of an earlier answer. */
                after?: string;
                /** @description `paging.cursors.before` of an earlier answer. */
                before?: string;
            };
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    blockUsers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        /** @description The platform's own body. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    unblockUsers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        /** @description The platform's own body. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    listQrCodes: {
        parameters: {
            query?: {
                /** @description Most items of a page. */
                limit?: number;
                /** @description `paging.cursors.after` of an earlier answer. */
                after?: string;
                /** @description `paging.cursors.before` of an earlier answer. */
                before?: string;
                /** @description As the platform's. */
                code?: string;
                /** @description Members to show, comma separated: code, prefilled_message, deep_link_url, qr_image_url, creation_time, id. */
                fields?: string;
            };
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    saveQrCode: {
        parameters: {
            query?: {
                /** @description As the platform's. */
                prefilled_message?: string;
                /** @description As the platform's. */
                generate_qr_image?: string;
                /** @description As the platform's. */
                code?: string;
            };
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        /** @description The platform's own body. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getQrCode: {
        parameters: {
            query?: {
                /** @description Members to show, comma separated: code, prefilled_message, deep_link_url, qr_image_url, creation_time, id. */
                fields?: string;
            };
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
                /** @description The code. */
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    changeQrCode: {
        parameters: {
            query?: {
                /** @description As the platform's. */
                prefilled_message?: string;
                /** @description As the platform's. */
                generate_qr_image?: string;
            };
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
                /** @description The code. */
                code: string;
            };
            cookie?: never;
        };
        /** @description The platform's own body. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    deleteQrCode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
                /** @description The code. */
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getUsername: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    setUsername: {
        parameters: {
            query?: {
                /** @description As the platform's. */
                username?: string;
            };
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        /** @description The platform's own body. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    deleteUsername: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    listUsernameSuggestions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getNumberSettings: {
        parameters: {
            query?: {
                /** @description As the platform's. */
                include_sip_credentials?: string;
                /** @description Members to show, comma separated: calling, storage_configuration, user_identity_change, payload_encryption. */
                fields?: string;
            };
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    updateNumberSettings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        /** @description The platform's own body. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getEncryptionKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    setEncryptionKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        /** @description The platform's own body. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getCommerceSettings: {
        parameters: {
            query?: {
                /** @description Members to show, comma separated: is_cart_enabled, is_catalog_visible, id. */
                fields?: string;
            };
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    updateCommerceSettings: {
        parameters: {
            query?: {
                /** @description As the platform's. */
                is_cart_enabled?: string;
                /** @description As the platform's. */
                is_catalog_visible?: string;
            };
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        /** @description The platform's own body. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getConversationalAutomation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    updateConversationalAutomation: {
        parameters: {
            query?: {
                /** @description As the platform's. */
                enable_welcome_message?: string;
                /** @description As the platform's. */
                prompts?: string;
                /** @description As the platform's. */
                commands?: string;
            };
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        /** @description The platform's own body. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getComplianceInfo: {
        parameters: {
            query?: {
                /** @description Members to show, comma separated: entity_name, entity_type, entity_type_custom, is_registered, grievance_officer_details, customer_care_details. */
                fields?: string;
            };
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    updateComplianceInfo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        /** @description The platform's own body. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getOfficialBusinessAccount: {
        parameters: {
            query?: {
                /** @description Members to show, comma separated: oba_status, status_message, id. */
                fields?: string;
            };
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    requestOfficialBusinessAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        /** @description The platform's own body. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    listMessageHistory: {
        parameters: {
            query?: {
                /** @description Most items of a page. */
                limit?: number;
                /** @description `paging.cursors.after` of an earlier answer. */
                after?: string;
                /** @description `paging.cursors.before` of an earlier answer. */
                before?: string;
                /** @description As the platform's. */
                message_id?: string;
                /** @description Members to show, comma separated: id, message_id, events. */
                fields?: string;
            };
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    listHistoryEvents: {
        parameters: {
            query?: {
                /** @description Most items of a page. */
                limit?: number;
                /** @description `paging.cursors.after` of an earlier answer. */
                after?: string;
                /** @description `paging.cursors.before` of an earlier answer. */
                before?: string;
                /** @description Members to show, comma separated: id, delivery_status, error_description, occurrence_timestamp, status_timestamp, webhook_update_state. */
                fields?: string;
            };
            header?: never;
            path: {
                /** @description The id of the platform's record. */
                historyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    requestVerificationCode: {
        parameters: {
            query?: {
                /** @description As the platform's. */
                code_method?: string;
                /** @description As the platform's. */
                language?: string;
            };
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        /** @description The platform's own body. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    verifyCode: {
        parameters: {
            query?: {
                /** @description As the platform's. */
                code?: string;
            };
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        /** @description The platform's own body. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    registerNumber: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        /** @description The platform's own body. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    deregisterNumber: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    requestAppData: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        /** @description The platform's own body. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    listSignups: {
        parameters: {
            query?: {
                /** @description Most items of a page. */
                limit?: number;
                /** @description `paging.cursors.after` of an earlier answer. */
                after?: string;
                /** @description `paging.cursors.before` of an earlier answer. */
                before?: string;
                /** @description Members to show, comma separated: id, name, status, signup_message, confirmation_message, website_link, privacy_policy_link. */
                fields?: string;
            };
            header?: never;
            path: {
                /** @description The business account ID. */
                wabaId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    createSignup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The business account ID. */
                wabaId: string;
            };
            cookie?: never;
        };
        /** @description The platform's own body. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    controlCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        /** @description The platform's own body. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getCallPermission: {
        parameters: {
            query?: {
                /** @description As the platform's. */
                user_wa_id?: string;
                /** @description As the platform's. */
                recipient?: string;
            };
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    controlThread: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        /** @description The platform's own body. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    listFlows: {
        parameters: {
            query?: {
                /** @description Most items of a page. */
                limit?: number;
                /** @description `paging.cursors.after` of an earlier answer. */
                after?: string;
                /** @description `paging.cursors.before` of an earlier answer. */
                before?: string;
                /** @description Members to show, comma separated: id, name, status, categories, validation_errors, json_version, data_api_version, data_channel_uri, endpoint_uri, preview, health_status, whatsapp_business_account, application, metric. */
                fields?: string;
            };
            header?: never;
            path: {
                /** @description The business account ID. */
                wabaId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    createFlow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The business account ID. */
                wabaId: string;
            };
            cookie?: never;
        };
        /** @description The platform's own body. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    listFlowAssets: {
        parameters: {
            query?: {
                /** @description Most items of a page. */
                limit?: number;
                /** @description `paging.cursors.after` of an earlier answer. */
                after?: string;
                /** @description `paging.cursors.before` of an earlier answer. */
                before?: string;
                /** @description Members to show, comma separated: name, asset_type, download_url. */
                fields?: string;
            };
            header?: never;
            path: {
                /** @description The flow's id. */
                flowId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    uploadFlowAsset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The flow's id. */
                flowId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: binary */
                    file?: string;
                    name?: string;
                    asset_type?: string;
                    messaging_product?: string;
                };
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    publishFlow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The flow's id. */
                flowId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    deprecateFlow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The flow's id. */
                flowId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    listGroups: {
        parameters: {
            query?: {
                /** @description Most items of a page. */
                limit?: number;
                /** @description `paging.cursors.after` of an earlier answer. */
                after?: string;
                /** @description `paging.cursors.before` of an earlier answer. */
                before?: string;
            };
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    createGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The platform's id of the number. */
                phoneNumberId: string;
            };
            cookie?: never;
        };
        /** @description The platform's own body. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getInviteLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The group's id. */
                groupId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    resetInviteLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The group's id. */
                groupId: string;
            };
            cookie?: never;
        };
        /** @description The platform's own body. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    removeParticipants: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The group's id. */
                groupId: string;
            };
            cookie?: never;
        };
        /** @description The platform's own body. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    listJoinRequests: {
        parameters: {
            query?: {
                /** @description Most items of a page. */
                limit?: number;
                /** @description `paging.cursors.after` of an earlier answer. */
                after?: string;
                /** @description `paging.cursors.before` of an earlier answer. */
                before?: string;
            };
            header?: never;
            path: {
                /** @description The group's id. */
                groupId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    approveJoinRequests: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The group's id. */
                groupId: string;
            };
            cookie?: never;
        };
        /** @description The platform's own body. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    rejectJoinRequests: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The group's id. */
                groupId: string;
            };
            cookie?: never;
        };
        /** @description The platform's own body. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getAnalytics: {
        parameters: {
            query?: {
                /** @description As the platform's. */
                start?: string;
                /** @description As the platform's. */
                end?: string;
                /** @description As the platform's. */
                granularity?: string;
                /** @description As the platform's. */
                phone_numbers?: string;
                /** @description As the platform's. */
                country_codes?: string;
                /** @description As the platform's. */
                dimensions?: string;
                /** @description As the platform's. */
                metric_types?: string;
                /** @description Most items of a page. */
                limit?: number;
                /** @description `paging.cursors.after` of an earlier answer. */
                after?: string;
                /** @description `paging.cursors.before` of an earlier answer. */
                before?: string;
            };
            header?: never;
            path: {
                /** @description The business account ID. */
                wabaId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getConversationAnalytics: {
        parameters: {
            query?: {
                /** @description As the platform's. */
                start?: string;
                /** @description As the platform's. */
                end?: string;
                /** @description As the platform's. */
                granularity?: string;
                /** @description As the platform's. */
                phone_numbers?: string;
                /** @description As the platform's. */
                country_codes?: string;
                /** @description As the platform's. */
                dimensions?: string;
                /** @description As the platform's. */
                metric_types?: string;
                /** @description Most items of a page. */
                limit?: number;
                /** @description `paging.cursors.after` of an earlier answer. */
                after?: string;
                /** @description `paging.cursors.before` of an earlier answer. */
                before?: string;
                /** @description As the platform's. */
                conversation_categories?: string;
                /** @description As the platform's. */
                conversation_types?: string;
                /** @description As the platform's. */
                conversation_directions?: string;
            };
            header?: never;
            path: {
                /** @description The business account ID. */
                wabaId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getPricingAnalytics: {
        parameters: {
            query?: {
                /** @description As the platform's. */
                start?: string;
                /** @description As the platform's. */
                end?: string;
                /** @description As the platform's. */
                granularity?: string;
                /** @description As the platform's. */
                phone_numbers?: string;
                /** @description As the platform's. */
                country_codes?: string;
                /** @description As the platform's. */
                dimensions?: string;
                /** @description As the platform's. */
                metric_types?: string;
                /** @description Most items of a page. */
                limit?: number;
                /** @description `paging.cursors.after` of an earlier answer. */
                after?: string;
                /** @description `paging.cursors.before` of an earlier answer. */
                before?: string;
                /** @description As the platform's. */
                pricing_types?: string;
                /** @description As the platform's. */
                pricing_categories?: string;
            };
            header?: never;
            path: {
                /** @description The business account ID. */
                wabaId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getCallAnalytics: {
        parameters: {
            query?: {
                /** @description As the platform's. */
                start?: string;
                /** @description As the platform's. */
                end?: string;
                /** @description As the platform's. */
                granularity?: string;
                /** @description As the platform's. */
                phone_numbers?: string;
                /** @description As the platform's. */
                country_codes?: string;
                /** @description As the platform's. */
                dimensions?: string;
                /** @description As the platform's. */
                metric_types?: string;
                /** @description Most items of a page. */
                limit?: number;
                /** @description `paging.cursors.after` of an earlier answer. */
                after?: string;
                /** @description `paging.cursors.before` of an earlier answer. */
                before?: string;
                /** @description As the platform's. */
                directions?: string;
            };
            header?: never;
            path: {
                /** @description The business account ID. */
                wabaId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getTemplateAnalytics: {
        parameters: {
            query?: {
                /** @description As the platform's. */
                start?: string;
                /** @description As the platform's. */
                end?: string;
                /** @description As the platform's. */
                granularity?: string;
                /** @description As the platform's. */
                phone_numbers?: string;
                /** @description As the platform's. */
                country_codes?: string;
                /** @description As the platform's. */
                dimensions?: string;
                /** @description As the platform's. */
                metric_types?: string;
                /** @description Most items of a page. */
                limit?: number;
                /** @description `paging.cursors.after` of an earlier answer. */
                after?: string;
                /** @description `paging.cursors.before` of an earlier answer. */
                before?: string;
                /** @description As the platform's. */
                template_ids?: string;
                /** @description As the platform's. */
                product_type?: string;
                /** @description As the platform's. */
                use_waba_timezone?: string;
            };
            header?: never;
            path: {
                /** @description The business account ID. */
                wabaId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    getTemplateGroupAnalytics: {
        parameters: {
            query?: {
                /** @description As the platform's. */
                start?: string;
                /** @description As the platform's. */
                end?: string;
                /** @description As the platform's. */
                granularity?: string;
                /** @description As the platform's. */
                phone_numbers?: string;
                /** @description As the platform's. */
                country_codes?: string;
                /** @description As the platform's. */
                dimensions?: string;
                /** @description As the platform's. */
                metric_types?: string;
                /** @description Most items of a page. */
                limit?: number;
                /** @description `paging.cursors.after` of an earlier answer. */
                after?: string;
                /** @description `paging.cursors.before` of an earlier answer. */
                before?: string;
                /** @description As the platform's. */
                template_group_ids?: string;
            };
            header?: never;
            path: {
                /** @description The business account ID. */
                wabaId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    upsertTemplates: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The business account ID. */
                wabaId: string;
            };
            cookie?: never;
        };
        /** @description The platform's own body. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    listTemplatePreviews: {
        parameters: {
            query?: {
                /** @description As the platform's. */
                category?: string;
                /** @description As the platform's. */
                languages?: string;
                /** @description As the platform's. */
                language?: string;
                /** @description As the platform's. */
                add_security_recommendation?: string;
                /** @description As the platform's. */
                code_expiration_minutes?: string;
                /** @description As the platform's. */
                button_types?: string;
            };
            header?: never;
            path: {
                /** @description The business account ID. */
                wabaId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    compareTemplates: {
        parameters: {
            query?: {
                /** @description As the platform's. */
                template_ids?: string;
                /** @description As the platform's. */
                start?: string;
                /** @description As the platform's. */
                end?: string;
            };
            header?: never;
            path: {
                /** @description The template's id. */
                templateId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    unpauseTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The template's id. */
                templateId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The platform's answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    on_message_queued: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id: the same on every attempt, and in `GET /v1/events`. */
                "webhook-id": string;
                /** @description Unix seconds of the attempt. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks signatures, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "message.queued";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description The message's id, as in the answer to the send.
                         */
                        id: string;
                        /** @description Rises by one with every event of the message, in the order in which the platform reported them. The platform may report `read` before `delivered`: keep the furthest of `queued`, `sent`, `delivered`, `read`; `failed` is final. */
                        sequence: number;
                        /** @description `queued`, `sent`, `delivered`, `read`, `failed` or `received`. */
                        status: string;
                        direction: "outbound" | "inbound";
                        /** @description `api`: sent or received through the gateway; `agent`: in a conversation that a business agent holds; `app`: sent from the WhatsApp Business app. */
                        origin: string;
                        /** @description The platform's own id; null until it is known. */
                        message_id: string | null;
                        /** @description The sending number record, a UUID. */
                        account_id: string | null;
                        /** @description The platform's id of your number. */
                        phone_number_id: string | null;
                        /** @description The business account. */
                        waba_id: string | null;
                        /** @description Stable for your number and the person, or the group. */
                        conversation_id: string | null;
                        /** @description `text`, `template`, `image` … */
                        message_type: string;
                        /** @description Digits. */
                        recipient_phone: string | null;
                        /** @description Digits. */
                        sender_phone: string | null;
                        /** @description The person's user id, once it is known. */
                        user_id: string | null;
                        /** @description Templates only. */
                        template_name?: string;
                        /** @description Templates only. */
                        template_language?: string;
                        /** @description As known at the time of the event. */
                        conversation_category: string | null;
                        /** @description As known at the time of the event. */
                        pricing_type: string | null;
                        /** @description The text that the send carried, unchanged. */
                        biz_opaque_callback_data?: string;
                        /** @description For a message that the gateway did not send: the webhook field that reported it. */
                        field?: string;
                        /** @description With `field`: the members of that field's value, word for word. */
                        value?: {
                            [key: string]: unknown;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other answer is tried again; 410 disables the endpoint. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_message_sent: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id: the same on every attempt, and in `GET /v1/events`. */
                "webhook-id": string;
                /** @description Unix seconds of the attempt. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks signatures, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "message.sent";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description The message's id, as in the answer to the send.
                         */
                        id: string;
                        /** @description Rises by one with every event of the message, in the order in which the platform reported them. The platform may report `read` before `delivered`: keep the furthest of `queued`, `sent`, `delivered`, `read`; `failed` is final. */
                        sequence: number;
                        /** @description `queued`, `sent`, `delivered`, `read`, `failed` or `received`. */
                        status: string;
                        direction: "outbound" | "inbound";
                        /** @description `api`: sent or received through the gateway; `agent`: in a conversation that a business agent holds; `app`: sent from the WhatsApp Business app. */
                        origin: string;
                        /** @description The platform's own id; null until it is known. */
                        message_id: string | null;
                        /** @description The sending number record, a UUID. */
                        account_id: string | null;
                        /** @description The platform's id of your number. */
                        phone_number_id: string | null;
                        /** @description The business account. */
                        waba_id: string | null;
                        /** @description Stable for your number and the person, or the group. */
                        conversation_id: string | null;
                        /** @description `text`, `template`, `image` … */
                        message_type: string;
                        /** @description Digits. */
                        recipient_phone: string | null;
                        /** @description Digits. */
                        sender_phone: string | null;
                        /** @description The person's user id, once it is known. */
                        user_id: string | null;
                        /** @description Templates only. */
                        template_name?: string;
                        /** @description Templates only. */
                        template_language?: string;
                        /** @description As known at the time of the event. */
                        conversation_category: string | null;
                        /** @description As known at the time of the event. */
                        pricing_type: string | null;
                        /** @description The text that the send carried, unchanged. */
                        biz_opaque_callback_data?: string;
                        /** @description For a message that the gateway did not send: the webhook field that reported it. */
                        field?: string;
                        /** @description With `field`: the members of that field's value, word for word. */
                        value?: {
                            [key: string]: unknown;
                        };
                        /** @description The platform's own word in its answer to the send; null if it gave none, or if a webhook reported the status. With any word but `accepted`, such as `held_for_quality_assessment` or `paused`, the platform holds the message back: a second `message.sent` follows when it releases the message, or `message.failed` when it drops it. */
                        upstream_status: string | null;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other answer is tried again; 410 disables the endpoint. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_message_delivered: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id: the same on every attempt, and in `GET /v1/events`. */
                "webhook-id": string;
                /** @description Unix seconds of the attempt. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks signatures, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "message.delivered";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description The message's id, as in the answer to the send.
                         */
                        id: string;
                        /** @description Rises by one with every event of the message, in the order in which the platform reported them. The platform may report `read` before `delivered`: keep the furthest of `queued`, `sent`, `delivered`, `read`; `failed` is final. */
                        sequence: number;
                        /** @description `queued`, `sent`, `delivered`, `read`, `failed` or `received`. */
                        status: string;
                        direction: "outbound" | "inbound";
                        /** @description `api`: sent or received through the gateway; `agent`: in a conversation that a business agent holds; `app`: sent from the WhatsApp Business app. */
                        origin: string;
                        /** @description The platform's own id; null until it is known. */
                        message_id: string | null;
                        /** @description The sending number record, a UUID. */
                        account_id: string | null;
                        /** @description The platform's id of your number. */
                        phone_number_id: string | null;
                        /** @description The business account. */
                        waba_id: string | null;
                        /** @description Stable for your number and the person, or the group. */
                        conversation_id: string | null;
                        /** @description `text`, `template`, `image` … */
                        message_type: string;
                        /** @description Digits. */
                        recipient_phone: string | null;
                        /** @description Digits. */
                        sender_phone: string | null;
                        /** @description The person's user id, once it is known. */
                        user_id: string | null;
                        /** @description Templates only. */
                        template_name?: string;
                        /** @description Templates only. */
                        template_language?: string;
                        /** @description As known at the time of the event. */
                        conversation_category: string | null;
                        /** @description As known at the time of the event. */
                        pricing_type: string | null;
                        /** @description The text that the send carried, unchanged. */
                        biz_opaque_callback_data?: string;
                        /** @description For a message that the gateway did not send: the webhook field that reported it. */
                        field?: string;
                        /** @description With `field`: the members of that field's value, word for word. */
                        value?: {
                            [key: string]: unknown;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other answer is tried again; 410 disables the endpoint. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_message_read: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id: the same on every attempt, and in `GET /v1/events`. */
                "webhook-id": string;
                /** @description Unix seconds of the attempt. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks signatures, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "message.read";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description The message's id, as in the answer to the send.
                         */
                        id: string;
                        /** @description Rises by one with every event of the message, in the order in which the platform reported them. The platform may report `read` before `delivered`: keep the furthest of `queued`, `sent`, `delivered`, `read`; `failed` is final. */
                        sequence: number;
                        /** @description `queued`, `sent`, `delivered`, `read`, `failed` or `received`. */
                        status: string;
                        direction: "outbound" | "inbound";
                        /** @description `api`: sent or received through the gateway; `agent`: in a conversation that a business agent holds; `app`: sent from the WhatsApp Business app. */
                        origin: string;
                        /** @description The platform's own id; null until it is known. */
                        message_id: string | null;
                        /** @description The sending number record, a UUID. */
                        account_id: string | null;
                        /** @description The platform's id of your number. */
                        phone_number_id: string | null;
                        /** @description The business account. */
                        waba_id: string | null;
                        /** @description Stable for your number and the person, or the group. */
                        conversation_id: string | null;
                        /** @description `text`, `template`, `image` … */
                        message_type: string;
                        /** @description Digits. */
                        recipient_phone: string | null;
                        /** @description Digits. */
                        sender_phone: string | null;
                        /** @description The person's user id, once it is known. */
                        user_id: string | null;
                        /** @description Templates only. */
                        template_name?: string;
                        /** @description Templates only. */
                        template_language?: string;
                        /** @description As known at the time of the event. */
                        conversation_category: string | null;
                        /** @description As known at the time of the event. */
                        pricing_type: string | null;
                        /** @description The text that the send carried, unchanged. */
                        biz_opaque_callback_data?: string;
                        /** @description For a message that the gateway did not send: the webhook field that reported it. */
                        field?: string;
                        /** @description With `field`: the members of that field's value, word for word. */
                        value?: {
                            [key: string]: unknown;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other answer is tried again; 410 disables the endpoint. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_message_failed: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id: the same on every attempt, and in `GET /v1/events`. */
                "webhook-id": string;
                /** @description Unix seconds of the attempt. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks signatures, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "message.failed";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description The message's id, as in the answer to the send.
                         */
                        id: string;
                        /** @description Rises by one with every event of the message, in the order in which the platform reported them. The platform may report `read` before `delivered`: keep the furthest of `queued`, `sent`, `delivered`, `read`; `failed` is final. */
                        sequence: number;
                        /** @description `queued`, `sent`, `delivered`, `read`, `failed` or `received`. */
                        status: string;
                        direction: "outbound" | "inbound";
                        /** @description `api`: sent or received through the gateway; `agent`: in a conversation that a business agent holds; `app`: sent from the WhatsApp Business app. */
                        origin: string;
                        /** @description The platform's own id; null until it is known. */
                        message_id: string | null;
                        /** @description The sending number record, a UUID. */
                        account_id: string | null;
                        /** @description The platform's id of your number. */
                        phone_number_id: string | null;
                        /** @description The business account. */
                        waba_id: string | null;
                        /** @description Stable for your number and the person, or the group. */
                        conversation_id: string | null;
                        /** @description `text`, `template`, `image` … */
                        message_type: string;
                        /** @description Digits. */
                        recipient_phone: string | null;
                        /** @description Digits. */
                        sender_phone: string | null;
                        /** @description The person's user id, once it is known. */
                        user_id: string | null;
                        /** @description Templates only. */
                        template_name?: string;
                        /** @description Templates only. */
                        template_language?: string;
                        /** @description As known at the time of the event. */
                        conversation_category: string | null;
                        /** @description As known at the time of the event. */
                        pricing_type: string | null;
                        /** @description The text that the send carried, unchanged. */
                        biz_opaque_callback_data?: string;
                        /** @description For a message that the gateway did not send: the webhook field that reported it. */
                        field?: string;
                        /** @description With `field`: the members of that field's value, word for word. */
                        value?: {
                            [key: string]: unknown;
                        };
                        /** @description The platform's code, or Fairway's own (`EXPIRED`, `CANCELLED`, `RECIPIENT_OPTED_OUT`, `UNKNOWN_OUTCOME`). */
                        error_code: string | null;
                        /** @description Its explanation. */
                        error_message: string | null;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other answer is tried again; 410 disables the endpoint. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_message_received: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id: the same on every attempt, and in `GET /v1/events`. */
                "webhook-id": string;
                /** @description Unix seconds of the attempt. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks signatures, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "message.received";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description The message's id, as in the answer to the send.
                         */
                        id: string;
                        /** @description Rises by one with every event of the message, in the order in which the platform reported them. The platform may report `read` before `delivered`: keep the furthest of `queued`, `sent`, `delivered`, `read`; `failed` is final. */
                        sequence: number;
                        /** @description `queued`, `sent`, `delivered`, `read`, `failed` or `received`. */
                        status: string;
                        direction: "outbound" | "inbound";
                        /** @description `api`: sent or received through the gateway; `agent`: in a conversation that a business agent holds; `app`: sent from the WhatsApp Business app. */
                        origin: string;
                        /** @description The platform's own id; null until it is known. */
                        message_id: string | null;
                        /** @description The sending number record, a UUID. */
                        account_id: string | null;
                        /** @description The platform's id of your number. */
                        phone_number_id: string | null;
                        /** @description The business account. */
                        waba_id: string | null;
                        /** @description Stable for your number and the person, or the group. */
                        conversation_id: string | null;
                        /** @description `text`, `template`, `image` … */
                        message_type: string;
                        /** @description Digits. */
                        recipient_phone: string | null;
                        /** @description Digits. */
                        sender_phone: string | null;
                        /** @description The person's user id, once it is known. */
                        user_id: string | null;
                        /** @description The group in which it was written. */
                        group_id?: string;
                        /** @description End of the 24-hour window that this message opens: the window of the person, or of the group. Null if it opens none. */
                        window_expires_at: string | null;
                        /** @description The platform's message object, word for word. */
                        message: {
                            [key: string]: unknown;
                        };
                        /** @description The platform's data about the sender, such as the profile name, word for word. */
                        contact: {
                            [key: string]: unknown;
                        } | null;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other answer is tried again; 410 disables the endpoint. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_template_status_updated: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id: the same on every attempt, and in `GET /v1/events`. */
                "webhook-id": string;
                /** @description Unix seconds of the attempt. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks signatures, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "template.status_updated";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /** @description The business account. */
                        waba_id?: string;
                        /** @description The number concerned, if the event is about a number. */
                        phone_number_id?: string;
                        /** @description The platform's id of the template. */
                        template_id: string;
                        /** @description Absent if the platform named the template by its id alone. */
                        name?: string;
                        /** @description Absent if `name` is. */
                        language?: string;
                        /** @description The new status, in the platform's words. */
                        status: string | null;
                        /** @description Null if the template was not known before. */
                        previous_status: string | null;
                        /** @description Reason of a rejection or pause. */
                        reason: string | null;
                        /** @description The occurrence, if it left the status unchanged: `FLAGGED` and the like. */
                        event?: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other answer is tried again; 410 disables the endpoint. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_template_category_updated: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id: the same on every attempt, and in `GET /v1/events`. */
                "webhook-id": string;
                /** @description Unix seconds of the attempt. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks signatures, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "template.category_updated";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /** @description The business account. */
                        waba_id?: string;
                        /** @description The number concerned, if the event is about a number. */
                        phone_number_id?: string;
                        /** @description The platform's id of the template. */
                        template_id: string;
                        /** @description Absent if the platform named the template by its id alone. */
                        name?: string;
                        /** @description Absent if `name` is. */
                        language?: string;
                        /** @description The category that counts now. */
                        category: string;
                        /** @description Null if it has not changed yet, or was not known. */
                        previous_category: string | null;
                        /** @description The category to come, if a move is announced. */
                        correct_category?: string;
                        /** @description Time of the announced move: Unix seconds, as reported by the platform. */
                        category_update_timestamp?: number | string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other answer is tried again; 410 disables the endpoint. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_template_quality_updated: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id: the same on every attempt, and in `GET /v1/events`. */
                "webhook-id": string;
                /** @description Unix seconds of the attempt. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks signatures, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "template.quality_updated";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /** @description The business account. */
                        waba_id?: string;
                        /** @description The number concerned, if the event is about a number. */
                        phone_number_id?: string;
                        /** @description The platform's id of the template. */
                        template_id: string;
                        /** @description Absent if the platform named the template by its id alone. */
                        name?: string;
                        /** @description Absent if `name` is. */
                        language?: string;
                        /** @description `GREEN`, `YELLOW`, `RED` or `UNKNOWN`. */
                        quality_score: string;
                        /** @description Null if it had none. */
                        previous_quality_score: string | null;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other answer is tried again; 410 disables the endpoint. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_number_updated: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id: the same on every attempt, and in `GET /v1/events`. */
                "webhook-id": string;
                /** @description Unix seconds of the attempt. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks signatures, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "number.updated";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /** @description The business account. */
                        waba_id?: string;
                        /** @description The number concerned, if the event is about a number. */
                        phone_number_id?: string;
                        /** @description The platform's word for the change; `NAME_UPDATE`, `REVIEW_UPDATE` or `CAPABILITY_UPDATE` if it has none. */
                        event: string | null;
                        /** @description Digits of the number concerned, if the event is about a number. */
                        phone_number?: string;
                        /** @description The result of a review, of the account or of a name: `APPROVED`, `REJECTED` … */
                        decision?: string | null;
                        /** @description The limit from now on, a tier or a number of people a day; null if the platform names none. */
                        messaging_limit?: string | null;
                        /** @description Highest number of phone numbers of the account; null if the platform names none. */
                        numbers_max?: number | null;
                        /** @description The limit before, if the platform names it. */
                        previous_messaging_limit?: string | null;
                        /** @description The name that was decided on. */
                        verified_name?: string | null;
                        /** @description Reason for which a name was not approved. */
                        rejection_reason?: string | null;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other answer is tried again; 410 disables the endpoint. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_account_updated: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id: the same on every attempt, and in `GET /v1/events`. */
                "webhook-id": string;
                /** @description Unix seconds of the attempt. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks signatures, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "account.updated";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /** @description The business account. */
                        waba_id?: string;
                        /** @description The number concerned, if the event is about a number. */
                        phone_number_id?: string;
                        /** @description The platform's word for the change; `NAME_UPDATE`, `REVIEW_UPDATE` or `CAPABILITY_UPDATE` if it has none. */
                        event: string | null;
                        /** @description Digits of the number concerned, if the event is about a number. */
                        phone_number?: string;
                        /** @description The result of a review, of the account or of a name: `APPROVED`, `REJECTED` … */
                        decision?: string | null;
                        /** @description The limit from now on, a tier or a number of people a day; null if the platform names none. */
                        messaging_limit?: string | null;
                        /** @description Highest number of phone numbers of the account; null if the platform names none. */
                        numbers_max?: number | null;
                        /** @description The platform's webhook field. */
                        field?: string;
                        /** @description That field's value, word for word. */
                        value?: {
                            [key: string]: unknown;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other answer is tried again; 410 disables the endpoint. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_upstream_other: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id: the same on every attempt, and in `GET /v1/events`. */
                "webhook-id": string;
                /** @description Unix seconds of the attempt. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks signatures, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "upstream.other";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /** @description The business account. */
                        waba_id?: string;
                        /** @description The number concerned, if the event is about a number. */
                        phone_number_id?: string;
                        /** @description The platform's webhook field. */
                        field?: string;
                        /** @description That field's value, word for word. */
                        value?: {
                            [key: string]: unknown;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other answer is tried again; 410 disables the endpoint. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_webhook_disabled: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id: the same on every attempt, and in `GET /v1/events`. */
                "webhook-id": string;
                /** @description Unix seconds of the attempt. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks signatures, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "webhook.disabled";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description The endpoint concerned.
                         */
                        webhook_id: string;
                        /** @description Its address. */
                        url: string;
                        /** @description `gone`: it answered 410. `failing`: every attempt of five days failed. */
                        reason: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other answer is tried again; 410 disables the endpoint. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_webhook_test: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id: the same on every attempt, and in `GET /v1/events`. */
                "webhook-id": string;
                /** @description Unix seconds of the attempt. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks signatures, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "webhook.test";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description The endpoint concerned.
                         */
                        webhook_id: string;
                        /** @description Its address. */
                        url: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other answer is tried again; 410 disables the endpoint. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_message_updated: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id: the same on every attempt, and in `GET /v1/events`. */
                "webhook-id": string;
                /** @description Unix seconds of the attempt. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks signatures, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "message.updated";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description The message's id, as in the answer to the send.
                         */
                        id: string;
                        /** @description Rises by one with every event of the message, in the order in which the platform reported them. The platform may report `read` before `delivered`: keep the furthest of `queued`, `sent`, `delivered`, `read`; `failed` is final. */
                        sequence: number;
                        direction: "outbound" | "inbound";
                        /** @description `api`: sent or received through the gateway; `agent`: in a conversation that a business agent holds; `app`: sent from the WhatsApp Business app. */
                        origin: string;
                        /** @description The platform's own id; null until it is known. */
                        message_id: string | null;
                        /** @description The sending number record, a UUID. */
                        account_id: string | null;
                        /** @description The platform's id of your number. */
                        phone_number_id: string | null;
                        /** @description The business account. */
                        waba_id: string | null;
                        /** @description Stable for your number and the person, or the group. */
                        conversation_id: string | null;
                        /** @description `text`, `template`, `image` … */
                        message_type: string;
                        /** @description Digits. */
                        recipient_phone: string | null;
                        /** @description Digits. */
                        sender_phone: string | null;
                        /** @description The person's user id, once it is known. */
                        user_id: string | null;
                        /** @description Templates only. */
                        template_name?: string;
                        /** @description Templates only. */
                        template_language?: string;
                        /** @description As known at the time of the event. */
                        conversation_category: string | null;
                        /** @description As known at the time of the event. */
                        pricing_type: string | null;
                        /** @description The text that the send carried, unchanged. */
                        biz_opaque_callback_data?: string;
                        /** @description For a message that the gateway did not send: the webhook field that reported it. */
                        field?: string;
                        /** @description With `field`: the members of that field's value, word for word. */
                        value?: {
                            [key: string]: unknown;
                        };
                        /** @description The platform's status object, word for word. Its `type` names the subject: `payment` … */
                        update: {
                            [key: string]: unknown;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other answer is tried again; 410 disables the endpoint. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_message_standby: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id: the same on every attempt, and in `GET /v1/events`. */
                "webhook-id": string;
                /** @description Unix seconds of the attempt. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks signatures, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "message.standby";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description The message's id, as in the answer to the send.
                         */
                        id: string;
                        /** @description Rises by one with every event of the message, in the order in which the platform reported them. The platform may report `read` before `delivered`: keep the furthest of `queued`, `sent`, `delivered`, `read`; `failed` is final. */
                        sequence: number;
                        /** @description `queued`, `sent`, `delivered`, `read`, `failed` or `received`. */
                        status: string;
                        direction: "outbound" | "inbound";
                        /** @description `api`: sent or received through the gateway; `agent`: in a conversation that a business agent holds; `app`: sent from the WhatsApp Business app. */
                        origin: string;
                        /** @description The platform's own id; null until it is known. */
                        message_id: string | null;
                        /** @description The sending number record, a UUID. */
                        account_id: string | null;
                        /** @description The platform's id of your number. */
                        phone_number_id: string | null;
                        /** @description The business account. */
                        waba_id: string | null;
                        /** @description Stable for your number and the person, or the group. */
                        conversation_id: string | null;
                        /** @description `text`, `template`, `image` … */
                        message_type: string;
                        /** @description Digits. */
                        recipient_phone: string | null;
                        /** @description Digits. */
                        sender_phone: string | null;
                        /** @description The person's user id, once it is known. */
                        user_id: string | null;
                        /** @description The group in which it was written. */
                        group_id?: string;
                        /** @description End of the 24-hour window that this message opens: the window of the person, or of the group. Null if it opens none. */
                        window_expires_at: string | null;
                        /** @description The platform's message object, word for word. */
                        message: {
                            [key: string]: unknown;
                        };
                        /** @description The platform's data about the sender, such as the profile name, word for word. */
                        contact: {
                            [key: string]: unknown;
                        } | null;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other answer is tried again; 410 disables the endpoint. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_message_echoed: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id: the same on every attempt, and in `GET /v1/events`. */
                "webhook-id": string;
                /** @description Unix seconds of the attempt. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks signatures, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "message.echoed";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /**
                         * Format: uuid
                         * @description The message's id, as in the answer to the send.
                         */
                        id: string;
                        /** @description Rises by one with every event of the message, in the order in which the platform reported them. The platform may report `read` before `delivered`: keep the furthest of `queued`, `sent`, `delivered`, `read`; `failed` is final. */
                        sequence: number;
                        /** @description `queued`, `sent`, `delivered`, `read`, `failed` or `received`. */
                        status: string;
                        direction: "outbound" | "inbound";
                        /** @description `api`: sent or received through the gateway; `agent`: in a conversation that a business agent holds; `app`: sent from the WhatsApp Business app. */
                        origin: string;
                        /** @description The platform's own id; null until it is known. */
                        message_id: string | null;
                        /** @description The sending number record, a UUID. */
                        account_id: string | null;
                        /** @description The platform's id of your number. */
                        phone_number_id: string | null;
                        /** @description The business account. */
                        waba_id: string | null;
                        /** @description Stable for your number and the person, or the group. */
                        conversation_id: string | null;
                        /** @description `text`, `template`, `image` … */
                        message_type: string;
                        /** @description Digits. */
                        recipient_phone: string | null;
                        /** @description Digits. */
                        sender_phone: string | null;
                        /** @description The person's user id, once it is known. */
                        user_id: string | null;
                        /** @description Templates only. */
                        template_name?: string;
                        /** @description Templates only. */
                        template_language?: string;
                        /** @description As known at the time of the event. */
                        conversation_category: string | null;
                        /** @description As known at the time of the event. */
                        pricing_type: string | null;
                        /** @description The text that the send carried, unchanged. */
                        biz_opaque_callback_data?: string;
                        /** @description The platform's echo of the message, word for word. */
                        message: {
                            [key: string]: unknown;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other answer is tried again; 410 disables the endpoint. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_window_closing: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id: the same on every attempt, and in `GET /v1/events`. */
                "webhook-id": string;
                /** @description Unix seconds of the attempt. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks signatures, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "window.closing";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /** @description The business account. */
                        waba_id?: string;
                        /** @description The number concerned, if the event is about a number. */
                        phone_number_id?: string;
                        /** @description The person's number, digits. */
                        person: string;
                        /** @description As in the events of messages. */
                        conversation_id: string;
                        opened_by: "message" | "call";
                        /**
                         * Format: date-time
                         * @description End of the window.
                         */
                        window_expires_at: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other answer is tried again; 410 disables the endpoint. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_configuration_changed: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id: the same on every attempt, and in `GET /v1/events`. */
                "webhook-id": string;
                /** @description Unix seconds of the attempt. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks signatures, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "configuration.changed";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /** @description The business account. */
                        waba_id?: string;
                        /** @description The number concerned, if the event is about a number. */
                        phone_number_id?: string;
                        /** @description The operation, as the OpenAPI file names it. */
                        operation: string;
                        /** @description `POST` or `DELETE`. */
                        method: string;
                        /** @description The path behind the id; empty for the object itself. */
                        edge: string;
                        /** @description `number`, `account`, `flow`, `group` or `template`. */
                        object_kind: string;
                        /** @description The platform's id of the object. */
                        object_id: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other answer is tried again; 410 disables the endpoint. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_opt_out_created: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id: the same on every attempt, and in `GET /v1/events`. */
                "webhook-id": string;
                /** @description Unix seconds of the attempt. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks signatures, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "opt_out.created";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /** @description The business account. */
                        waba_id?: string;
                        /** @description The number concerned, if the event is about a number. */
                        phone_number_id?: string;
                        /** @description As `GET /v1/opt-outs` shows it. */
                        opt_out_id: string;
                        /** @description The person's number, digits; null if only the user id is known. */
                        person: string | null;
                        /** @description The person's user id, if it is known. */
                        user_id: string | null;
                        /** @description `api`, `platform` or `keyword`: the origin of the opt-out. */
                        source: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other answer is tried again; 410 disables the endpoint. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_opt_out_removed: {
        parameters: {
            query?: never;
            header: {
                /** @description The event's id: the same on every attempt, and in `GET /v1/events`. */
                "webhook-id": string;
                /** @description Unix seconds of the attempt. */
                "webhook-timestamp": string;
                /** @description Standard Webhooks signatures, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "opt_out.removed";
                    /**
                     * Format: date-time
                     * @description Time of the event.
                     */
                    timestamp: string;
                    data: {
                        /** @description The business account. */
                        waba_id?: string;
                        /** @description The number concerned, if the event is about a number. */
                        phone_number_id?: string;
                        /** @description As `GET /v1/opt-outs` shows it. */
                        opt_out_id: string;
                        /** @description The person's number, digits; null if only the user id is known. */
                        person: string | null;
                        /** @description The person's user id, if it is known. */
                        user_id: string | null;
                        /** @description `api`, `platform` or `keyword`: the origin of the opt-out. */
                        source: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Received. Any other answer is tried again; 410 disables the endpoint. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
