/**
 * Types that the types of `troupe/inspector` are made of. They are exported so that the compiler can name them in declarations of a user's own
 * package; nobody fills them in.
 */
export type { Contents as InspectedParts } from './files/content.ts'
export type { InspectedService } from './server/service.ts'
export type { RowDetail as InspectorRowDetail, RunRow, ServiceInfo, ViewDetail } from './wire/routes.ts'
export type { Row as InspectorRow, RowEvent as InspectorRowEvent } from './wire/rows.ts'
