/** How the gateway names itself to servers of others. */
export const USER_AGENT = 'Fairway';
