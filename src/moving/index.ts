/** Runs, threads, notes and files of one store for another: as lines of JSON, and back. */
export { exportResource, exportRuns, type ExportFilter, type ExportOptions } from './export.ts'
export { ImportError, type ImportReport } from './import-error.ts'
export { importRuns, type ImportOptions, type ImportSource } from './import.ts'
export type * from './named-parts.ts'
