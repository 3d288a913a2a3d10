export * from 'lit';
export {classMap} from 'lit/directives/class-map.js';
export {live} from 'lit/directives/live.js';
export {createRef, ref} from 'lit/directives/ref.js';
export {repeat} from 'lit/directives/repeat.js';
