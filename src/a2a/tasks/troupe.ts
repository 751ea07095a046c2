/** The troupe of a server. */
import type { AgentDefinition, Prompt, RunService, TroupeBlobs } from '../../index.ts'
import type { NoteItems } from '../../kit/wire/index.ts'

/** The part of a troupe that a server uses: a `Troupe` and a `RestateTroupe` with `admin` have it. */
export interface A2aTroupe extends Pick<
  RunService,
  'runs' | 'awaiting' | 'watch' | 'replay' | 'signal' | 'cancel'
> {
  start(agent: AgentDefinition, prompt: Prompt, options?: object): Promise<{ readonly id: string }>
  /** Has the bytes of the files in answers. */
  readonly blobs?: Pick<TroupeBlobs, 'get'>
  /** Keeps the push notification configs of tasks. */
  readonly config?: NoteItems
}
