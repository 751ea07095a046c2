/** The inspector: a page on this machine that shows the runs of a troupe, goes back in them, answers and forks them. For Node alone. */
export { inspector } from './inspector.ts'
export { recordStory } from './story/record-story.ts'
export type { StoryOptions, StoryService } from './story/record-story.ts'
export type { Inspector, InspectorOptions } from './inspector.ts'
export type { InspectedContent, Sanitize } from './files/content.ts'
export type { AnswerName } from './server/answered-by.ts'
export type { InspectedRun } from './files/run-list.ts'
export type * from './named-parts.ts'
