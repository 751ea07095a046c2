/** The test kit: `troupe/testing`. */
export { scriptedModel } from './scripted-model.ts'
export type {
  RecordedCall,
  ScriptedModel,
  ScriptedModelOptions,
  ScriptedReply,
  ScriptedStep,
  ScriptedToolCall,
} from './scripted-model.ts'
export { coverMachine } from './cover-machine.ts'
export type { CoverOptions, CoverPath, MachineCover } from './cover-machine.ts'
export type { Events, GraphOptions, Outcomes } from './state-graph.ts'
export type { ExternalEvent, Outcome } from './stimulus.ts'
export type { TransitionCoverage } from './transition-coverage.ts'
export { recordRun, replayRecording } from './recording.ts'
export type { RecordingDifference, RecordingReport, ReplayRecordingOptions } from './recording.ts'
