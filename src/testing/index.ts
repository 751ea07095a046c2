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
