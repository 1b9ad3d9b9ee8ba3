package api

import (
	"encoding/json"
	"reflect"
	"strings"
)

// noNilLists returns v with each nil list that JSON would write as null as an
// empty one, so that the page never meets a null list. It copies what it
// changes: events are shared between clients. Fields that are left out when
// empty, or whose tag `ts` says that they may be null, stay as they are.
func noNilLists(v any) any {
	out, _ := filled(reflect.ValueOf(v))
	if !out.IsValid() {
		return v
	}
	return out.Interface()
}

// filled returns v, or a changed copy and true.
func filled(v reflect.Value) (reflect.Value, bool) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return filledElem(v)
	case reflect.Struct:
		return filledStruct(v)
	case reflect.Slice:
		return filledSlice(v)
	case reflect.Map:
		return filledMap(v)
	default:
		return v, false
	}
}

func filledElem(v reflect.Value) (reflect.Value, bool) {
	if v.IsNil() {
		return v, false
	}
	elem, changed := filled(v.Elem())
	if !changed {
		return v, false
	}
	out := reflect.New(v.Type()).Elem()
	if v.Kind() == reflect.Pointer {
		out.Set(reflect.New(v.Type().Elem()))
		out.Elem().Set(elem)
	} else {
		out.Set(elem)
	}
	return out, true
}

func filledStruct(v reflect.Value) (reflect.Value, bool) {
	var out reflect.Value // made with the first change
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() {
			continue
		}
		value, changed := filled(v.Field(i))
		if !changed && wantsList(f) && v.Field(i).IsNil() {
			value, changed = reflect.MakeSlice(f.Type, 0, 0), true
		}
		if !changed {
			continue
		}
		if !out.IsValid() {
			out = reflect.New(v.Type()).Elem()
			out.Set(v)
		}
		out.Field(i).Set(value)
	}
	if !out.IsValid() {
		return v, false
	}
	return out, true
}

func filledSlice(v reflect.Value) (reflect.Value, bool) {
	var out reflect.Value
	for i := range v.Len() {
		elem, changed := filled(v.Index(i))
		if !changed {
			continue
		}
		if !out.IsValid() {
			out = reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(out, v)
		}
		out.Index(i).Set(elem)
	}
	if !out.IsValid() {
		return v, false
	}
	return out, true
}

func filledMap(v reflect.Value) (reflect.Value, bool) {
	if v.Type().Elem().Kind() != reflect.Slice {
		return v, false // maps of texts
	}
	var out reflect.Value
	for it := v.MapRange(); it.Next(); {
		if !it.Value().IsNil() {
			continue
		}
		if !out.IsValid() {
			out = reflect.MakeMapWithSize(v.Type(), v.Len())
			for all := v.MapRange(); all.Next(); {
				out.SetMapIndex(all.Key(), all.Value())
			}
		}
		out.SetMapIndex(it.Key(), reflect.MakeSlice(v.Type().Elem(), 0, 0))
	}
	if !out.IsValid() {
		return v, false
	}
	return out, true
}

var rawJSON = reflect.TypeFor[json.RawMessage]()

func wantsList(f reflect.StructField) bool {
	if f.Type.Kind() != reflect.Slice || f.Type == rawJSON {
		return false
	}
	_, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
	return !strings.Contains(opts, "omitempty") && !strings.Contains(f.Tag.Get("ts"), "null")
}
