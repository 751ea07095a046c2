/** The body of a start. */
import type { ClientTool, Content, JsonValue, Prompt } from '../../index.ts'
import { type Fields, aName, anything, filesOf, optional, readOptions, required } from '../../kit/index.ts'
import { taskOf } from '../../kit/host.ts'
import { aRunId, readAs, wrongRequest } from '../../kit/wire/index.ts'

/** The body of a start, as clients send it. */
export interface StartBody {
  /** A text, or messages of which the last one is the user's. Files come with their bytes, or as a URL. */
  readonly prompt: Prompt
  /**
   * Chosen by the client, for example a UUID: a start that is repeated under it answers with the run that is there. Default: a
   * new one.
   */
  readonly runId?: string
  readonly threadId?: string
  readonly conversationId?: string
  /** JSON for `runOptions` of the handler. */
  readonly input?: JsonValue
  /** Tools of the page, `ClientTool`s: the model is offered those that `authorize` allows (`clientTools`). */
  readonly tools?: readonly ClientTool[]
}

const fields: Fields<StartBody> = {
  prompt: required(anything),
  runId: optional(aRunId),
  threadId: optional(aName),
  conversationId: optional(aName),
  input: optional(anything),
  tools: optional(anything),
}

/** Throws a `RefusedRequest`. */
export function readStart(body: object): StartBody {
  const start = readAs(() => readOptions<StartBody>(body, 'start', fields))
  assertPrompt(start.prompt)
  return start
}

/** Throws a `RefusedRequest` for a prompt that no run takes. */
export function assertPrompt(prompt: Prompt): void {
  readAs(() => taskOf(prompt))
  const contents = typeof prompt === 'string' ? [] : prompt.map(({ content }) => content)
  contents.forEach(assertOwnFiles)
}

/** A client has the files that it sends: by a reference alone it could read those of another. */
export function assertOwnFiles(content: Content): void {
  if (filesOf(content).some((file) => 'ref' in file)) {
    throw wrongRequest('A file of a request has its bytes (data) or its address (url), and no ref.')
  }
}
