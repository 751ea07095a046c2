/**
 * Tools become an agent that runs programs: one program makes many calls, each of them on record.
 * @experimental
 */
export { type CodeLimits, type CodeModeConfig, type CodeModeRunOptions, codeMode } from './code-mode.ts'
