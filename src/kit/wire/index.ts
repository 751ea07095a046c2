/** For servers of runs: requests in, responses out, refusals between. `docs/reference/kit.md` lists it. */

// Requests
export { type BodyLimits, assertJson, readBody, readText } from './body.ts'
export { assertNames, numberOf, pageNames, pageOptionsIn, textsOf } from './query.ts'
export { type Incoming, type Pieces, type RequestText, incoming, requestText } from './request-text.ts'
export { type Call, type Route, findRoute, routeTo } from './route.ts'
export { excessOf, mostAnswers, mostParts } from '../../actors/values/measure.ts'
export { aRunId } from '../../actors/strict/checks.ts'

// Refusals
export {
  RefusedRequest,
  forbidden,
  headersOf,
  notFound,
  readAs,
  refusalOf,
  serverFailure,
  statusOf,
  takenAs,
  tooMany,
  unauthorised,
  unavailable,
  wrongMethod,
  wrongRequest,
} from './refusals.ts'

// Signals
export { answerSignal, cancelSignal, saySignal } from '../../runtime/handle/run.ts'

// Responses
export { emptyResponse, jsonResponse, refusalResponse, streamResponse } from './responses.ts'
export { leavable } from '../../runtime/handle/leavable.ts'
export { unobserved } from '../../runtime/quietly.ts'
export { textStream } from '../../runtime/text-stream.ts'
export { untilWaiting } from './until-waiting.ts'

// What a server keeps with a run
export { type NoteItems, notesOf } from '../../runtime/journal/run-notes.ts'
