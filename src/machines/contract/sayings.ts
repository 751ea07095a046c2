/** Messages of people to a run that is under way. */
import type { Part } from '../../actors/content/content.ts'

/** One message of a person. */
export interface Saying {
  /** Unique in the run. */
  readonly id: string
  /** The text of the message; a line stands for each file. */
  readonly message: string
  /** The message with its files, where it has some: by reference or URL. */
  readonly content?: readonly Part[]
  /** The person or program that said it, where it is named. */
  readonly by?: string
}

/** Why an agent does not take a message; `SIGNAL_TRIPPED`: an input processor has refused one that was taken. */
export type SayRefusal = 'SIGNAL_TOO_LATE' | 'SIGNAL_NOT_SUPPORTED' | 'SIGNAL_TOO_MANY' | 'SIGNAL_TRIPPED'

/** A person speaks to the agent that holds the conversation of the run. */
export interface SayEvent {
  readonly type: 'say'
  readonly saying: Saying
}

/** How many messages of people wait for a call of the model. */
export const mostSayings = 8
