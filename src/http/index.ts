/** Runs over HTTP: a handler of requests for any framework that takes a function from a `Request` to its `Response`. */
export { createHandler } from './handler.ts'
export type { Handler } from './handler.ts'
export type { HandlerOptions, ServedTroupe, StartRequest, WireName } from './serving/options.ts'
export type {
  Access,
  AccessRequest,
  Authorize,
  Right,
  ServedError,
  ServedQuestion,
  ServedRun,
  ServedSchedule,
} from './access/authorize.ts'
export type { ErrorPlace, ErrorText, ServedErrors } from './serving/served-errors.ts'
export type { StartBody } from './troupe-wire/start.ts'
