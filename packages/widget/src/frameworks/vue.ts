import type { DefineComponent, HTMLAttributes } from 'vue';
import type { AttributesOf, ElementTag, HandlersOf, PropertiesOf } from './element-types.ts';

type Components = {
  [Tag in ElementTag]: DefineComponent<HTMLAttributes & AttributesOf<Tag> & PropertiesOf<Tag> & HandlersOf<Tag>>;
};

declare module 'vue' {
  interface GlobalComponents extends Components {}
}
