export {Marked, Renderer} from 'marked';
