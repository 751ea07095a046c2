export { toMermaid, type MermaidOptions } from './to-mermaid.ts'
export { toStateTable } from './to-state-table.ts'
