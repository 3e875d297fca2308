/** Identifies a WABA and its organization. */
export interface WabaRef {
  organizationId: string;
  wabaId: string;
}
