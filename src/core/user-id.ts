/** User ids have the country, a dot, and letters and digits; those of linked businesses have a further word after the country. */
export const USER_ID_PATTERN = '^[A-Z]{2}\\.(?:[A-Za-z0-9]{1,32}\\.)?[A-Za-z0-9]{1,128}$';
const USER_ID = new RegExp(USER_ID_PATTERN);

/** True if a text is a user id of the platform. */
export function isUserId(text: string): boolean {
  return USER_ID.test(text);
}
