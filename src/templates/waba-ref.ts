/** A WABA and whose it is. */
export interface WabaRef {
  organizationId: string;
  wabaId: string;
}
