/** The program of a run as its journal has it: plain data. */
import type { InBackground, ToolStructure } from '../../actors/toolset/tool-facts.ts'
import type { DynamicPart, HandoffProfile } from '../../machines/contract/profile.ts'
import type { ContentSize } from '../definition/definition.ts'
import type { Pattern } from '../options/pattern.ts'
import type { RunSettings } from '../options/settings.ts'

/** An agent as the journal of a run keeps it: plain data. */
export interface AgentStructure {
  readonly pattern: Pattern
  /** The options that decide. The schema of an answer is content, and stands in them as `true`. */
  readonly settings: RecordedSettings
  /** The parts that are functions of the run. */
  readonly dynamic?: readonly DynamicPart[]
  readonly tools?: Readonly<Record<string, ToolStructure>>
  /** The subagents, by their keys. */
  readonly agents?: Readonly<Record<string, RecordedSubagent>>
  readonly handoffs?: {
    readonly profile: HandoffProfile
    /** The ids of the successors, by their keys. */
    readonly agents: Readonly<Record<string, string>>
  }
}

/** A subagent as the journal has it. */
export interface RecordedSubagent {
  readonly id: string
  /** Set for a subagent that works in the background. */
  readonly background?: InBackground
}

export type RecordedSettings = Omit<RunSettings, 'responseFormat'> & { readonly responseFormat?: true }

/** The digests of the parts of one agent, by the names that people read. */
export type ContentDigests = Readonly<Record<string, string>>

/** An agent as `run.started` has it. */
export interface RecordedAgent {
  readonly structure: AgentStructure
  readonly content: ContentDigests
  /** Provider and model id. Absent where a function of the run chooses the model, and in a journal of an earlier build. */
  readonly model?: string
  /** Absent in a journal of an earlier build, which never differs from the size of today. */
  readonly size?: ContentSize
}

export type RecordedAgents = Readonly<Record<string, RecordedAgent>>

/** An edited part of an agent. */
export interface Edit {
  readonly agent: string
  /** Such as `instructions`, `model` or `tool "refund"`. */
  readonly part: string
}

/** What has been edited since the record was made. */
export interface Drift {
  readonly edits: readonly Edit[]
  /** The content of today, of the agents that differ. */
  readonly agents: Readonly<Record<string, ContentDigests>>
  /** By agent, a digest of the parts that functions of the run make otherwise than before. */
  readonly made?: Readonly<Record<string, string>>
}

/** What becomes of a run whose agents were edited while it waited. */
export type OnDrift = (typeof driftChoices)[number]

export const driftChoices = ['continue', 'refuse'] as const
